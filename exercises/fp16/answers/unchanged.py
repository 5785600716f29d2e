"""Returns a copy of the model."""

import onnx

EXPECTED = {"score": 0.0, "rung": "type", "message": "none in the whole model", "lazy": "argument", "shows": "unchanged"}


def to_fp16(model):
    return onnx.ModelProto.FromString(model.SerializeToString())
