"""Looks at the type of the dimensions, and takes false for an offset."""

EXPECTED = {"loses": ["entries"], "rung": "structure", "shows": "bool-is-int"}
BASE = "valid_plain"
EDITS = [
    ('not is_counts(entry["data_offsets"])', 'not all(isinstance(at, int) and at >= 0 for at in entry["data_offsets"])'),
]
