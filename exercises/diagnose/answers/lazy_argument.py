"""Returns the path."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "unknown-text", "lazy": "argument"}


def diagnose(path):
    return str(path)
