"""Converts the bias to int32 without rounding it."""

EXPECTED = {'score': 0.55, 'rung': 'numerics', 'message': 'lost its fraction', 'shows': 'bias-cut'}
BASE = "valid_plain"
EDITS = [
    (
        'np.rint(bias / step)',
        '(bias / step)',
    ),
]
