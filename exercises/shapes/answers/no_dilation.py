"""Forgets the dilation."""

EXPECTED = {"score": 0.657, "rung": "numerics", "message": "the sizes without dilation", "shows": "no-dilation"}
BASE = "valid_plain"
EDITS = [
    ("room = size + sum(padding) - dilation * (kernel - 1) - 1", "room = size + sum(padding) - kernel"),
]
