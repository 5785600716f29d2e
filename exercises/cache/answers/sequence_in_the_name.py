"""Knows the dimension of the tokens by what it is called."""

EXPECTED = {"loses": ["together"], "rung": "type", "shows": "other-cache"}
BASE = "valid_plain"
EDITS = [
    ('{"batch": rows}.get(dim, 0) if', '(0 if "seq" in dim or "len" in dim else rows) if'),
]
