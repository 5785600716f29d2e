"""Prints the diagnosis instead of returning it."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-nothing"}


def diagnose(path):
    print("healthy")
