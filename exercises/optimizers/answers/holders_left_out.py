"""Counts what is in an If instead of the If."""

EXPECTED = {"loses": ["nested"], "rung": "structure", "shows": "holders-left-out"}
BASE = "valid_plain"
EDITS = [
    ('        yield node.op_type if', '        if node.op_type not in ("If", "Loop"):\n            yield node.op_type if'),
]
