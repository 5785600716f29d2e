"""The stub, as it is released."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def fuse_matmul_add(model):
    raise NotImplementedError
