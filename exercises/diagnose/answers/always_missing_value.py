"""Gives one diagnosis for every file."""

EXPECTED = {"score": 0, "rung": "loads", "message": "missing-value"}


def diagnose(path):
    return "missing-value"
