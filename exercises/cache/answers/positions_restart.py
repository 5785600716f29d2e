"""Counts positions from 0 in every call."""

EXPECTED = {'score': 0.713, 'rung': 'numerics', 'message': 'The positions began at 0', 'shows': 'positions-restart'}
BASE = 'valid_plain'
EDITS = [
    (
        "positions = np.arange(start, start + new)",
        "positions = np.arange(new)",
    ),
]
