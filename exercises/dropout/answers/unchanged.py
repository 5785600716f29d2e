"""Does nothing: the model comes back as a copy."""

import onnx

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "nothing-removed", "lazy": "argument"}


def remove_dropout(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    return new
