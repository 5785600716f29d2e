"""Counts steps, not windows."""

EXPECTED = {"score": 0.6, "rung": "numerics", "message": "one window too few", "shows": "steps-not-windows"}
BASE = "valid_plain"
EDITS = [
    ("if steps < 0:", "if steps < 1:"),
    ("return steps + 1", "return steps"),
]
