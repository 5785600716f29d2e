"""Reads signed codes as unsigned ones, and keeps the zero points."""

import tempfile

import numpy as np
import onnx
from onnx import numpy_helper
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "This is another function, not a coarser one"}


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
    for tensor in new.graph.initializer:
        if tensor.data_type == onnx.TensorProto.INT8:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).view(np.uint8), tensor.name))
    return new
