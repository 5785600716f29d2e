"""Calls every file healthy."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "parse-error-unread", "lazy": "constant"}


def diagnose(path):
    return "healthy"
