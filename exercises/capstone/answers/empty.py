"""The untouched stub."""

EXPECTED = {"score": 0, "rung": "exists", "message": "the stub"}


def convert(module, example, budget, directory):
    raise NotImplementedError()
