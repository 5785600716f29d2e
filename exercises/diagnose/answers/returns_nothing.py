"""Prints the diagnosis instead of returning it."""

EXPECTED = {"score": 0, "rung": "type", "message": "None"}


def diagnose(path):
    print("healthy")
