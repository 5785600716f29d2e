"""Reads the header's length with its highest byte first."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "big-endian-length"}
BASE = "valid_plain"
EDITS = [
    ('length = int.from_bytes(data[:8], "little")', 'length = int.from_bytes(data[:8], "big")'),
    ('length = int.from_bytes(head, "little")', 'length = int.from_bytes(head, "big")'),
]
