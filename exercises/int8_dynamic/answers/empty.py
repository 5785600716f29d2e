"""The untouched stub."""

EXPECTED = {"score": 0.0, "rung": "exists", "message": "the stub", "shows": "not-done"}


def quantize_bert(model):
    raise NotImplementedError()
