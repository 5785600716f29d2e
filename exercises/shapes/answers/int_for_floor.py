"""Cuts towards zero instead of rounding down."""

EXPECTED = {"score": 0.886, "rung": "numerics", "message": "int() cuts towards zero", "shows": "int-for-floor"}
BASE = "valid_plain"
EDITS = [
    ("steps = -(-room // stride) if ceil_mode else room // stride", "steps = -(-room // stride) if ceil_mode else int(room / stride)"),
]
