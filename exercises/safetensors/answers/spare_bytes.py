"""Asks whether the offsets give a shape enough bytes."""

EXPECTED = {"loses": ["offsets"], "rung": "structure", "shows": "spare-bytes"}
BASE = "valid_plain"
EDITS = [
    ('if end - begin != math', 'if end - begin < math'),
]
