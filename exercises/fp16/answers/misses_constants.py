"""Rounds initializers, and leaves Constant nodes as they are."""

EXPECTED = {"loses": ["constants"], "rung": "loads", "shows": "misses-constants"}
BASE = "valid_lifted"
EDITS = [
    ('if node.op_type == "Constant":', "if False:"),
]
