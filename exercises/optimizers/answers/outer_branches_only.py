"""Counts the main graph and the graphs in its nodes, and no deeper."""

EXPECTED = {"score": 0.65, "rung": "structure", "message": "no nodes of a branch within a branch", "shows": "outer-branches-only"}
BASE = "valid_plain"
EDITS = [
    ('                yield from operators(subgraph)', '                yield from (inner.op_type for inner in subgraph.node)'),
]
