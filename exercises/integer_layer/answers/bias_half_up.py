"""Rounds the bias as at school."""

EXPECTED = {'score': 0.7, 'rung': 'numerics', 'message': 'The bias is rounded with ties up', 'shows': 'bias-half-up'}
BASE = "valid_plain"
EDITS = [
    (
        'np.rint(bias / step)',
        'np.floor(bias / step + 0.5)',
    ),
]
