"""Takes numbers of any length."""

EXPECTED = {"loses": ["entries"], "rung": "structure", "shows": "any-number"}
BASE = "valid_plain"
EDITS = [
    ('digits.startswith("-") or int(digits) >= 2**64', 'digits.startswith("-")'),
]
