"""Does not expect that the checker speaks of an output."""

EXPECTED = {"loses": ["order"], "rung": "type", "shows": "raises-type-error"}
BASE = "valid_plain"
EDITS = [
    ('    "not an output of any node": "missing-value",', ""),
]
