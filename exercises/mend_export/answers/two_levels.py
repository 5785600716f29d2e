"""Looks two levels deep into dicts and lists."""

EXPECTED = {"loses": ["nested"], "rung": "type", "shows": "raises-key-error"}
BASE = "valid_walk"
EDITS = [
    ('        if isinstance(value, (list, tuple)):\n', '        if isinstance(value, (list, tuple)) and path.count("_") < 2:\n'),
]
