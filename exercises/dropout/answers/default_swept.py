"""Removes the default of a graph input with what nothing reads."""

EXPECTED = {"score": 0.6, "rung": "contract", "message": "without its default", "shows": "default-lost"}
BASE = "valid_rename"
EDITS = [
    ("t.name in read | inputs)", "t.name in read)"),
]
