"""Returns a copy."""

import onnx

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "none-fused", "lazy": "argument"}


def fuse_matmul_add(model):
    return onnx.ModelProto.FromString(model.SerializeToString())
