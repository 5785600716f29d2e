"""Does nothing: the model comes back as a copy."""

import onnx

EXPECTED = {"lazy": "argument", "score": 0.1, "rung": "structure", "message": "nothing was removed", "shows": "nothing-removed"}


def remove_dropout(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    return new
