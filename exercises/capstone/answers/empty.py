"""The untouched stub."""

EXPECTED = {"score": 0, "rung": "exists", "message": "the stub", "shows": "not-done"}


def convert(module, example, budget, directory):
    raise NotImplementedError()
