"""Keeps a window that starts where the padding starts."""

EXPECTED = {"score": 0.829, "rung": "numerics", "message": "starts where the padding at the end starts", "shows": "last-window-late"}
BASE = "valid_plain"
EDITS = [
    ("if ceil_mode and steps * stride >= size + padding[0]:", "if ceil_mode and steps * stride > size + padding[0]:"),
]
