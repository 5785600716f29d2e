"""The untouched stub."""

EXPECTED = {"score": 0, "rung": "exists", "message": "the stub"}


def diagnose(path):
    raise NotImplementedError()
