"""Declares a multiple like any other size."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "as that number times a Dim", "shows": "multiple-forgotten"}
BASE = "valid_walk"
EDITS = [
    ("        if step > 1:", "        if step > 99:"),
]
