"""Counts a byte for a weight of four."""

EXPECTED = {"score": 0.1, "rung": "quality", "message": "bytes more", "shows": "over-budget"}
BASE = "valid_sets"
EDITS = [
    (
        "if mixed.ByteSize() <= room:",
        "if mixed.ByteSize() <= small.ByteSize() + 4 * spare:",
    ),
]
