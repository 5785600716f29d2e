"""Counts the values of the main graph."""

EXPECTED = {"loses": ["declarations", "graphs"], "rung": "contract", "shows": "main-graph-only"}
BASE = "valid_plain"
EDITS = [
    ("            graphs.extend(child for attribute in node.attribute for child in (attribute.g, *attribute.graphs))", ""),
]
