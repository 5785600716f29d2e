"""Quantizes, and appends the float weights for later."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"loses": ["size"], "rung": "quality: size", "shows": "float-kept"}


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
        path = f"{folder}/int8.onnx"
        quantize_dynamic(undescribed(model), path, per_channel=True)
        new = onnx.load(path)
    for tensor in model.graph.initializer:
        if len(tensor.dims) == 2:
            new.graph.initializer.add().CopyFrom(tensor)
            new.graph.initializer[-1].name = f"{tensor.name}/float"
    return new
