"""Takes every name that holds unk__ for a made-up one."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "any-unk"}
BASE = "valid_plain"
EDITS = [
    ('dim.dim_param.startswith("unk__")', '"unk__" in dim.dim_param'),
]
