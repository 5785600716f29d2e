"""Returns a copy of the model."""

import onnx

EXPECTED = {"loses": "everything", "rung": "type", "shows": "unchanged", "lazy": "argument"}


def to_fp16(model):
    return onnx.ModelProto.FromString(model.SerializeToString())
