"""Begins with a state of zeros."""

EXPECTED = {"loses": ["loop", "loop-whole-numbers", "names"], "rung": "numerics", "shows": "other-start"}
BASE = "valid_script"
EDITS = [
    ('        for i in range(sequence.size(0)):', '        state = 0 * state\n        for i in range(sequence.size(0)):'),
]
