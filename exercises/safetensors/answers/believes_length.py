"""Asks for as many bytes as the header claims to have, and looks afterwards."""

EXPECTED = {"loses": ["frugal"], "rung": "quality", "shows": "believes-length"}
BASE = "valid_plain"
EDITS = [
    ("return head + file.read(length if length <= most else 0)", "return head + file.read(min(length, 100_000_000))"),
]
