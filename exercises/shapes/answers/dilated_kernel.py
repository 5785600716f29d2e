"""Takes dilation * kernel for what the window spans."""

EXPECTED = {"score": 0.657, "rung": "numerics", "message": "spans dilation * kernel", "shows": "dilated-kernel"}
BASE = "valid_plain"
EDITS = [
    ("room = size + sum(padding) - dilation * (kernel - 1) - 1", "room = size + sum(padding) - dilation * kernel"),
]
