"""The untouched stub."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def optimize_levels(path, directory):
    raise NotImplementedError()
