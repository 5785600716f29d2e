"""Keeps a window that starts where the padding starts."""

EXPECTED = {"loses": ["ceil", "all-arguments"], "rung": "numerics", "shows": "last-window-late"}
BASE = "valid_plain"
EDITS = [
    ("if ceil_mode and steps * stride >= size + padding[0]:", "if ceil_mode and steps * stride > size + padding[0]:"),
]
