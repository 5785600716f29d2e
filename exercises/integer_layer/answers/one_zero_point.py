"""Takes the first zero point of w for all columns."""

EXPECTED = {"loses": ["unsigned-weights"], "rung": "numerics", "shows": "one-zero-point"}
BASE = "valid_plain"
EDITS = [
    (
        'w_zero.astype(np.int32)',
        'np.int32(w_zero[0])',
    ),
]
