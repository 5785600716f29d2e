"""Takes the first zero point of w for all columns."""

EXPECTED = {'score': 0.7, 'rung': 'numerics', 'message': 'a zero point of its own', 'shows': 'one-zero-point'}
BASE = "valid_plain"
EDITS = [
    (
        'w_zero.astype(np.int32)',
        'np.int32(w_zero[0])',
    ),
]
