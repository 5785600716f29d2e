"""Calls every file healthy."""

EXPECTED = {"lazy": "constant", "score": 0, "rung": "loads", "message": "A download stopped", "shows": "parse-error-unread"}


def diagnose(path):
    return "healthy"
