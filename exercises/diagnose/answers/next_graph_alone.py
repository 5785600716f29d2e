"""Looks for a late writer in the graph around a branch, and no further."""

EXPECTED = {"loses": ["order"], "rung": "structure", "shows": "next-graph-alone"}
BASE = "valid_structure"
EDITS = [
    ("names(attribute.g, known, around.union(own))", "names(attribute.g, known, frozenset(own))"),
]
