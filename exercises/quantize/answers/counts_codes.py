"""Divides by the number of codes."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "255 steps", "shows": "counts-codes"}
BASE = "valid_plain"
EDITS = [("/ 255", "/ 256")]
