"""Looks for graphs in the operators that the page shows, If and Loop, and in lists."""

EXPECTED = {"loses": ["nested"], "rung": "structure", "shows": "operators-listed"}
BASE = "valid_plain"
EDITS = [
    (
        "for graph in [attribute.g, *attribute.graphs]:",
        'for graph in [*attribute.graphs, *([attribute.g] if node.op_type in ("If", "Loop") else [])]:',
    ),
]
