"""Unsigned weights, per channel."""

import tempfile

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic

EXPECTED = {"rung": None}


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
        quantize_dynamic(undescribed(model), path, per_channel=True, weight_type=QuantType.QUInt8)
        return onnx.load(path)
