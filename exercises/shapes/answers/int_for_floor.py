"""Cuts towards zero instead of rounding down."""

EXPECTED = {"loses": ["usual-sizes", "short-inputs"], "rung": "numerics", "shows": "int-for-floor"}
BASE = "valid_plain"
EDITS = [
    ("steps = -(-room // stride) if ceil_mode else room // stride", "steps = -(-room // stride) if ceil_mode else int(room / stride)"),
]
