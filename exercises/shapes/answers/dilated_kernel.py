"""Takes dilation * kernel for what the window spans."""

EXPECTED = {"loses": ["padding-and-dilation", "all-arguments"], "rung": "numerics", "shows": "dilated-kernel"}
BASE = "valid_plain"
EDITS = [
    ("room = size + sum(padding) - dilation * (kernel - 1) - 1", "room = size + sum(padding) - dilation * kernel"),
]
