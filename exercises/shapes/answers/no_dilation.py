"""Forgets the dilation."""

EXPECTED = {"loses": ["padding-and-dilation", "all-arguments"], "rung": "numerics", "shows": "no-dilation"}
BASE = "valid_plain"
EDITS = [
    ("room = size + sum(padding) - dilation * (kernel - 1) - 1", "room = size + sum(padding) - kernel"),
]
