"""Returns the tensor as it came."""

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "unchanged", "lazy": "argument"}


def quantize(x, symmetric):
    return x, 1.0, 0
