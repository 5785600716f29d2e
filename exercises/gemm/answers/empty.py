"""The stub, as it is released."""

EXPECTED = {"score": 0.0, "rung": "exists", "message": "the stub", "shows": "not-done"}


def fuse_matmul_add(model):
    raise NotImplementedError
