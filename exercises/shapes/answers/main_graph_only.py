"""Counts the values of the main graph."""

EXPECTED = {"score": 0.867, "rung": "contract", "message": "only the values of the main graph", "shows": "main-graph-only"}
BASE = "valid_plain"
EDITS = [
    ("            graphs.extend(child for attribute in node.attribute for child in (attribute.g, *attribute.graphs))", ""),
]
