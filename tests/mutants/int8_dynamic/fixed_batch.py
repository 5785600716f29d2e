"""Fixes the batch at two sentences before it quantizes."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"score": 0.1, "rung": "contract", "message": "A size that the argument leaves open is fixed"}


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
    new = undescribed(model)
    for value in [*new.graph.input, *new.graph.output]:
        value.type.tensor_type.shape.dim[0].dim_value = 2
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/int8.onnx"
        quantize_dynamic(new, path, per_channel=True)
        return onnx.load(path)
