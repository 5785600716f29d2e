"""Converts the bias to int32 without rounding it."""

EXPECTED = {'score': 0.5765, 'rung': 'numerics', 'message': 'lost its fraction', 'shows': 'bias-cut'}
BASE = "valid_plain"
EDITS = [
    (
        'np.rint(bias / step)',
        '(bias / step)',
    ),
]
