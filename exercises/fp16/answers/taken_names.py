"""Names of its own are not made new."""

EXPECTED = {"loses": ["names"], "rung": "loads", "shows": "taken-name"}
BASE = "valid_new_names"
EDITS = [
    ('while name in used:', 'while False:'),
]
