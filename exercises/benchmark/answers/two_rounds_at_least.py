"""Refuses a single round, because a spread needs two numbers."""

EXPECTED = {"loses": ["edges"], "rung": "type", "shows": "raises-value-error"}
BASE = "valid_windows"
EDITS = [("if rounds < 1 or", "if rounds < 2 or")]
