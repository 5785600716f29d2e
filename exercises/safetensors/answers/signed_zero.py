"""Takes -0 for 0."""

EXPECTED = {"loses": ["entries"], "rung": "structure", "shows": "signed-zero"}
BASE = "valid_plain"
EDITS = [
    ('digits.startswith("-") or int(digits)', 'int(digits)'),
]
