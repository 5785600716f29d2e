"""Does not expect that the checker speaks of an output."""

EXPECTED = {"score": 0.966, "rung": "type", "message": "'NoneType' object is not subscriptable", "shows": "raises-type-error"}
BASE = "valid_plain"
EDITS = [
    ('    "not an output of any node": "missing-value",', ""),
]
