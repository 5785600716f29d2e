"""Converts the model to float16, after the heading of the lab's text."""

import onnx
from onnxruntime.transformers.float16 import convert_float_to_float16
from onnxruntime.transformers.onnx_model import OnnxModel

EXPECTED = {"loses": "everything", "rung": "structure: most", "shows": "half"}


def quantize_bert(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    half = OnnxModel(convert_float_to_float16(new, keep_io_types=True))
    half.topological_sort()
    return half.model
