"""Calls the converter with its defaults."""

import onnx
from onnxruntime.transformers.float16 import convert_float_to_float16

EXPECTED = {"lazy": "library", "score": 0.0, "rung": "loads", "message": "value_info says another type", "shows": "stale-value-info"}


def to_fp16(model):
    return convert_float_to_float16(onnx.ModelProto.FromString(model.SerializeToString()))
