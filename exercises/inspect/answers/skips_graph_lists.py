"""Leaves out graphs that stand in a list."""

EXPECTED = {"loses": ["nested"], "rung": "structure", "shows": "skips-graph-lists"}
BASE = "valid_plain"
EDITS = [
    ("for graph in [attribute.g, *attribute.graphs]:", "for graph in [attribute.g]:"),
]
