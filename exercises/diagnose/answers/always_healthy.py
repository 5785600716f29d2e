"""Calls every file healthy."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "parse-raises-nothing", "lazy": "constant"}


def diagnose(path):
    return "healthy"
