"""Ignores ceil_mode."""

EXPECTED = {"loses": ["ceil", "short-inputs", "all-arguments"], "rung": "numerics", "shows": "ignores-ceil"}
BASE = "valid_plain"
EDITS = [
    (
        """    room = size + sum(padding) - dilation * (kernel - 1) - 1
    steps = -(-room // stride) if ceil_mode else room // stride
    if ceil_mode and steps * stride >= size + padding[0]:
        steps -= 1""",
        "    steps = (size + sum(padding) - dilation * (kernel - 1) - 1) // stride",
    ),
]
