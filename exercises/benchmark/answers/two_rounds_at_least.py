"""Refuses a single round, because a spread needs two numbers."""

EXPECTED = {"score": 0.8, "rung": "type", "message": "ValueError", "shows": "raises-value-error"}
BASE = "valid_windows"
EDITS = [("if rounds < 1 or", "if rounds < 2 or")]
