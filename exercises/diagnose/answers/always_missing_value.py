"""Gives one diagnosis for every file."""

EXPECTED = {"lazy": "constant", "score": 0, "rung": "loads", "message": "missing-value", "shows": "parse-error-unread"}


def diagnose(path):
    return "missing-value"
