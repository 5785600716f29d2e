"""Rounds the bias as at school."""

EXPECTED = {"loses": ["ties"], "rung": "numerics", "shows": "bias-half-up"}
BASE = "valid_plain"
EDITS = [
    (
        'np.rint(bias / step)',
        'np.floor(bias / step + 0.5)',
    ),
]
