"""The untouched stub."""

EXPECTED = {"score": 0, "rung": "exists", "message": "the stub", "shows": "not-done"}


def mend(module, arguments, keywords, wanted, limits):
    raise NotImplementedError()
