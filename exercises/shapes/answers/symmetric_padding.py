"""Takes the first padding for both."""

EXPECTED = {"score": 0.6, "rung": "numerics", "message": "the first padding on both sides", "shows": "symmetric-padding"}
BASE = "valid_plain"
EDITS = [
    ("room = size + sum(padding) - dilation * (kernel - 1) - 1", "room = size + 2 * padding[0] - dilation * (kernel - 1) - 1"),
]
