"""Prints the diagnosis instead of returning it."""

EXPECTED = {"score": 0, "rung": "type", "message": "None", "shows": "returns-nothing"}


def diagnose(path):
    print("healthy")
