"""Returns a copy."""

import onnx

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "nothing-removed", "lazy": "argument"}


def remove_layernorm(model):
    return onnx.ModelProto.FromString(model.SerializeToString())
