"""Calls the converter with its defaults."""

import onnx
from onnxruntime.transformers.float16 import convert_float_to_float16

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "half-borders", "lazy": "library"}


def to_fp16(model):
    return convert_float_to_float16(onnx.ModelProto.FromString(model.SerializeToString()))
