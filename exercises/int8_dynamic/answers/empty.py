"""The untouched stub."""

EXPECTED = {"score": 0.0, "rung": "exists", "message": "the stub"}


def quantize_bert(model):
    raise NotImplementedError()
