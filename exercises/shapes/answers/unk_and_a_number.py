"""Takes a name for made up if it is unk__ and a number, and no more."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "invented-names"}
BASE = "valid_plain"
EDITS = [
    ('dim.dim_param.startswith("unk__")', 'dim.dim_param.removeprefix("unk__").isdecimal()'),
]
