"""The untouched stub."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def diagnose(path):
    raise NotImplementedError()
