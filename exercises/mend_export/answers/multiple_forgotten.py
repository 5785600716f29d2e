"""Declares a multiple like any other size."""

EXPECTED = {"loses": ["multiples"], "rung": "type", "shows": "multiple-forgotten"}
BASE = "valid_walk"
EDITS = [
    ("        if step > 1:", "        if step > 99:"),
]
