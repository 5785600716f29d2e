"""Counts a byte for a weight of four."""

EXPECTED = {"loses": "everything", "rung": "quality", "shows": "over-budget"}
BASE = "valid_sets"
EDITS = [
    (
        "if mixed.ByteSize() <= room:",
        "if mixed.ByteSize() <= small.ByteSize() + 4 * spare:",
    ),
]
