"""Begins with a state of zeros."""

EXPECTED = {"score": 0.55, "rung": "numerics", "message": "An element is left out", "shows": "other-start"}
BASE = "valid_script"
EDITS = [
    ('        for i in range(sequence.size(0)):', '        state = 0 * state\n        for i in range(sequence.size(0)):'),
]
