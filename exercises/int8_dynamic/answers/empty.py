"""The untouched stub."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def quantize_bert(model):
    raise NotImplementedError()
