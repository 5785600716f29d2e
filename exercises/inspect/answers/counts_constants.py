"""Counts the tensors of Constant nodes as parameters."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "the tensors of Constant nodes", "shows": "counts-constants"}
BASE = "valid_plain"
EDITS = [
    (
        "for tensor in tensors),",
        'for tensor in [*tensors, *(a.t for node in nodes for a in node.attribute if a.HasField("t"))]),',
    ),
]
