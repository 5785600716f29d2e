"""Counts positions from 0 in every call."""

EXPECTED = {"loses": ["positions-and-mask", "together"], "rung": "numerics", "shows": "positions-restart"}
BASE = 'valid_plain'
EDITS = [
    (
        "positions = np.arange(start, start + new)",
        "positions = np.arange(new)",
    ),
]
