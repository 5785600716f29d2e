"""Counts positions from 1."""

EXPECTED = {'score': 0.713, 'rung': 'numerics', 'message': 'too large by one', 'shows': 'positions-late'}
BASE = 'valid_plain'
EDITS = [
    (
        "positions = np.arange(start, start + new)",
        "positions = np.arange(start, start + new) + 1",
    ),
]
