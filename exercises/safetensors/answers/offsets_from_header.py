"""Forgets the eight bytes of the length when it looks for the data."""

EXPECTED = {"loses": ["tensors", "bfloat16", "dtypes", "large-files", "frugal"], "rung": "numerics", "shows": "offsets-from-header"}
BASE = "valid_plain"
EDITS = [
    ("file.seek(len(head) + begin)", "file.seek(len(head) - 8 + begin)"),
]
