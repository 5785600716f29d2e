"""Ignores ceil_mode."""

EXPECTED = {"score": 0.714, "rung": "numerics", "message": "the sizes for ceil_mode=False", "shows": "ignores-ceil"}
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
