"""Converts the bias to int32 without rounding it."""

EXPECTED = {"loses": ["small-codes", "ties"], "rung": "numerics", "shows": "bias-cut"}
BASE = "valid_plain"
EDITS = [
    (
        'np.rint(bias / step)',
        '(bias / step)',
    ),
]
