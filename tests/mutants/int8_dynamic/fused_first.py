"""Fuses the graph with ONNX Runtime's transformer optimizer, then quantizes."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic
from onnxruntime.transformers.optimizer import optimize_model

EXPECTED = {"score": 0.0, "rung": "type", "message": "fused before it was quantized"}


def undescribed(model):
    """A copy whose value_info describes no initializer."""
    new = onnx.ModelProto()
    new.CopyFrom(model)
    stored = {tensor.name for tensor in new.graph.initializer}
    kept = [value for value in new.graph.value_info if value.name not in stored]
    del new.graph.value_info[:]
    new.graph.value_info.extend(kept)
    return new


def quantize_bert(model):
    with tempfile.TemporaryDirectory() as folder:
        plain, fused, path = (f"{folder}/{name}.onnx" for name in ("plain", "fused", "int8"))
        onnx.save(undescribed(model), plain)
        optimize_model(plain, model_type="bert", num_heads=0, hidden_size=0).save_model_to_file(fused)
        quantize_dynamic(fused, path, per_channel=True)
        return onnx.load(path)
