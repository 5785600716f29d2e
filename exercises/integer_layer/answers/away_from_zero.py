"""Rounds ties away from zero."""

EXPECTED = {"loses": ["ties"], "rung": "numerics", "shows": "away-from-zero"}
BASE = "valid_plain"
EDITS = [
    (
        'np.rint(steps)',
        'np.copysign(np.floor(np.abs(steps) + 0.5), steps)',
    ),
]
