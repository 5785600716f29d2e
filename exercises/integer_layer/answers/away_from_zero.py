"""Rounds ties away from zero."""

EXPECTED = {'score': 0.7, 'rung': 'numerics', 'message': 'away from zero', 'shows': 'away-from-zero'}
BASE = "valid_plain"
EDITS = [
    (
        'np.rint(steps)',
        'np.copysign(np.floor(np.abs(steps) + 0.5), steps)',
    ),
]
