"""Makes a list of every list and tuple of the call."""

EXPECTED = {"loses": ["nested"], "rung": "type", "shows": "lists-for-tuples"}
BASE = "valid_walk"
EDITS = [
    ('return type(value)(walk', 'return list(walk'),
]
