"""Counts positions from 1."""

EXPECTED = {"loses": ["positions-and-mask", "together"], "rung": "numerics", "shows": "positions-late"}
BASE = 'valid_plain'
EDITS = [
    (
        "positions = np.arange(start, start + new)",
        "positions = np.arange(start, start + new) + 1",
    ),
]
