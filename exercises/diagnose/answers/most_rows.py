"""Asks for most rows to be right."""

EXPECTED = {"loses": ["numbers"], "rung": "numerics", "shows": "another-share"}
BASE = "valid_plain"
EDITS = [
    ("museum.ACCURACY", "0.5"),
]
