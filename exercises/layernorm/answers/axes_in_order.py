"""Compares the two lists of axes in the order in which they are written."""

EXPECTED = {"loses": ["axes"], "rung": "structure", "shows": "axes-in-order"}
BASE = "valid_ir"
EDITS = [
    ('    return sorted(int(axis) % rank - rank for axis in found)', '    return [int(axis) % rank - rank for axis in found]'),
    ('if axes(mean) == list(range(-len(axes(mean)), 0)) else None', 'if sorted(axes(mean)) == list(range(-len(axes(mean)), 0)) else None'),
]
