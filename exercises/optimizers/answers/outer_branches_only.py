"""Counts the main graph and the graphs in its nodes, and no deeper."""

EXPECTED = {"loses": ["nested"], "rung": "structure", "shows": "outer-branches-only"}
BASE = "valid_plain"
EDITS = [
    ('                yield from operators(subgraph)', '                yield from (inner.op_type for inner in subgraph.node)'),
]
