"""Calls every file healthy."""

EXPECTED = {"score": 0, "rung": "loads", "message": "A download stopped"}


def diagnose(path):
    return "healthy"
