"""Counts the offsets from the start of the file."""

EXPECTED = {"loses": ["tensors", "bfloat16", "dtypes", "large-files", "frugal"], "rung": "numerics", "shows": "offsets-from-file"}
BASE = "valid_plain"
EDITS = [
    ("file.seek(len(head) + begin)", "file.seek(begin)"),
]
