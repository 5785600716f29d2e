"""Compares two runs without saying that NaN equals NaN."""

EXPECTED = {"loses": ["numbers"], "rung": "numerics", "shows": "nan-is-random"}
BASE = "valid_plain"
EDITS = [
    ('np.array_equal(a, b, equal_nan=True)', 'np.array_equal(a, b)'),
]
