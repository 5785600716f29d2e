"""Returns a copy."""

import onnx

EXPECTED = {"lazy": "argument", "score": 0.1, "rung": "structure", "message": "none was fused", "shows": "none-fused"}


def fuse_matmul_add(model):
    return onnx.ModelProto.FromString(model.SerializeToString())
