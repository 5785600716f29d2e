"""Calls a batch size that is refused a wrong number."""

EXPECTED = {"score": 0.85, "rung": "numerics", "message": "wrong-numbers", "shows": "numbers-before-runs"}
BASE = "valid_plain"
EDITS = [
    ('return "static-batch"', 'return "wrong-numbers"'),
]
