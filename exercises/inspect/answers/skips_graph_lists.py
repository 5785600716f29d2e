"""Leaves out graphs that stand in a list."""

EXPECTED = {"score": 0.7, "rung": "structure", "message": "graphs that stand in a list", "shows": "skips-graph-lists"}
BASE = "valid_plain"
EDITS = [
    ("for graph in [attribute.g, *attribute.graphs]:", "for graph in [attribute.g]:"),
]
