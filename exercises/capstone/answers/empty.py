"""The untouched stub."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def convert(module, example, budget, directory):
    raise NotImplementedError()
