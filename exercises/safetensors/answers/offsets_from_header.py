"""Forgets the eight bytes of the length when it looks for the data."""

EXPECTED = {"score": 0.633, "rung": "numerics", "message": "short of the eight bytes", "shows": "offsets-from-header"}
BASE = "valid_plain"
EDITS = [
    ("file.seek(len(head) + begin)", "file.seek(len(head) - 8 + begin)"),
]
