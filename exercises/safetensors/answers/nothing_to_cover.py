"""Looks at the data only if there are tensors."""

EXPECTED = {"score": 0.85, "rung": "structure", "message": "of a file without tensors", "shows": "nothing-to-cover"}
BASE = "valid_plain"
EDITS = [
    ('    if at != available:', '    if entries and at != available:'),
]
