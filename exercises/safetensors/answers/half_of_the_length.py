"""Reads the lower four bytes of the length."""

EXPECTED = {"loses": ["refused-lengths", "lengths", "valid", "frugal"], "rung": "loads", "shows": "half-of-the-length"}
BASE = "valid_plain"
EDITS = [
    ('    length = int.from_bytes(data[:8], "little")', '    length = int.from_bytes(data[:4], "little")'),
    ('        length = int.from_bytes(head, "little")', '        length = int.from_bytes(head[:4], "little")'),
]
