"""Takes a name in capitals for an invented one."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "any-case"}
BASE = "valid_plain"
EDITS = [
    ('dim.dim_param.startswith("unk__")', 'dim.dim_param.lower().startswith("unk__")'),
]
