"""Calls the converter with its defaults, and looks for infinities in what ONNX Runtime returns."""

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.transformers.float16 import convert_float_to_float16

EXPECTED = {"lazy": "library", "score": 0.0, "rung": "loads", "message": "value_info still says float32", "shows": "stale-value-info"}


def to_fp16(model):
    return convert_float_to_float16(onnx.ModelProto.FromString(model.SerializeToString()))


def find_overflow(model, feeds):
    names = [value.name for value in model.graph.output]
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [name for name, array in zip(names, session.run(names, feeds), strict=True) if not np.isfinite(array).all()]
