"""Counts the offsets from the start of the file."""

EXPECTED = {"score": 0.633, "rung": "numerics", "message": "counted from the start of the file", "shows": "offsets-from-file"}
BASE = "valid_plain"
EDITS = [
    ("file.seek(len(head) + begin)", "file.seek(begin)"),
]
