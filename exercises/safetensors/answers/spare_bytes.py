"""Asks whether the offsets give a shape enough bytes."""

EXPECTED = {"score": 0.85, "rung": "structure", "message": "fewer bytes than the offsets", "shows": "spare-bytes"}
BASE = "valid_plain"
EDITS = [
    ('if end - begin != math', 'if end - begin < math'),
]
