"""Takes -0 for 0."""

EXPECTED = {"score": 0.926, "rung": 'structure', "message": 'an offset of -0', "shows": 'signed-zero'}
BASE = "valid_plain"
EDITS = [
    ('digits.startswith("-") or int(digits)', 'int(digits)'),
]
