"""Counts the tensors of Constant nodes as parameters."""

EXPECTED = {"loses": ["plain", "whole-numbers"], "rung": "numerics", "shows": "counts-constants"}
BASE = "valid_plain"
EDITS = [
    (
        "for tensor in tensors),",
        'for tensor in [*tensors, *(a.t for node in nodes for a in node.attribute if a.HasField("t"))]),',
    ),
]
