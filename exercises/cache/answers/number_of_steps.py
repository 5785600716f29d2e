"""Gives a token more than was asked for."""

EXPECTED = {'score': 0.35, 'rung': 'contract', 'message': 'Each step gives one token', 'shows': 'number-of-steps'}
BASE = 'valid_plain'
EDITS = [
    (
        "    while len(tokens) < steps:",
        "    while len(tokens) <= steps:",
    ),
]
