"""Calls a batch size that is refused a wrong number."""

EXPECTED = {"loses": ["batch"], "rung": "numerics", "shows": "numbers-before-runs"}
BASE = "valid_plain"
EDITS = [
    ('return "static-batch"', 'return "wrong-numbers"'),
]
