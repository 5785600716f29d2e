"""Counts what is in an If instead of the If."""

EXPECTED = {"score": 0.65, "rung": "structure", "message": "no node that holds a graph", "shows": "holders-left-out"}
BASE = "valid_plain"
EDITS = [
    ('        yield node.op_type if', '        if node.op_type not in ("If", "Loop"):\n            yield node.op_type if'),
]
