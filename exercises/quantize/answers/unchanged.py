"""Returns the tensor as it came."""

EXPECTED = {"score": 0.0, "rung": "contract", "message": "the tensor itself", "lazy": "argument", "shows": "unchanged"}


def quantize(x, symmetric):
    return x, 1.0, 0
