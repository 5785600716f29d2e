"""Counts the readers of a quotient in its own graph."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "readers-inside-forgotten"}
BASE = "valid_surgeon"
EDITS = [
    ("readers = [node for other in graphs for node in other.nodes", "readers = [node for node in graph.nodes"),
]
