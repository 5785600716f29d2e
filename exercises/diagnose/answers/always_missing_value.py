"""Gives one diagnosis for every file."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "parse-error-unread", "lazy": "constant"}


def diagnose(path):
    return "missing-value"
