"""Takes every name that begins with unk_ for a made-up one."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "any-unk"}
BASE = "valid_plain"
EDITS = [
    ('startswith("unk__")', 'startswith("unk_")'),
]
