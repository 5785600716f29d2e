"""Looks where the last window starts only if the end is padded."""

EXPECTED = {"loses": ["ceil"], "rung": "numerics", "shows": "padded-alone"}
BASE = "valid_plain"
EDITS = [
    ("if ceil_mode and steps * stride", "if ceil_mode and padding[1] and steps * stride"),
]
