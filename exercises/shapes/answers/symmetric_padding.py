"""Takes the first padding for both."""

EXPECTED = {"loses": ["padding-and-dilation", "ceil", "all-arguments"], "rung": "numerics", "shows": "symmetric-padding"}
BASE = "valid_plain"
EDITS = [
    ("room = size + sum(padding) - dilation * (kernel - 1) - 1", "room = size + 2 * padding[0] - dilation * (kernel - 1) - 1"),
]
