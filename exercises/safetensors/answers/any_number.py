"""Takes numbers of any length."""

EXPECTED = {"score": 0.926, "rung": 'structure', "message": 'does not fit into 64 bits, in', "shows": 'any-number'}
BASE = "valid_plain"
EDITS = [
    ('digits.startswith("-") or int(digits) >= 2**64', 'digits.startswith("-")'),
]
