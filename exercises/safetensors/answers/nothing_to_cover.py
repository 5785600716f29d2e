"""Looks at the data only if there are tensors."""

EXPECTED = {"loses": ["offsets"], "rung": "structure", "shows": "nothing-to-cover"}
BASE = "valid_plain"
EDITS = [
    ('    if at != available:', '    if entries and at != available:'),
]
