"""The stub, as it is handed out."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def quantize(x, symmetric):
    raise NotImplementedError()
