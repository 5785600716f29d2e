"""Returns a copy."""

import onnx

EXPECTED = {"lazy": "argument", "score": 0.1, "rung": "structure: fused", "message": "nothing was removed", "shows": "nothing-removed"}


def remove_layernorm(model):
    return onnx.ModelProto.FromString(model.SerializeToString())
