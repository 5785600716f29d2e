"""The untouched stub."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def mend(module, arguments, keywords, wanted, limits):
    raise NotImplementedError()
