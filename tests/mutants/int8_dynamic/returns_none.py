"""Returns what quantize_dynamic returns."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"score": 0.0, "rung": "type", "message": "quantize_dynamic writes a file and returns nothing"}


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
        return quantize_dynamic(undescribed(model), f"{folder}/int8.onnx", per_channel=True)
