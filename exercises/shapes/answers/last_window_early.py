"""Forgets that the positions are counted from the padding."""

EXPECTED = {"loses": ["ceil", "all-arguments"], "rung": "numerics", "shows": "last-window-early"}
BASE = "valid_plain"
EDITS = [
    ("if ceil_mode and steps * stride >= size + padding[0]:", "if ceil_mode and steps * stride >= size:"),
]
