"""Counts the readers among the nodes of the same graph only."""

EXPECTED = {"score": 0.7, "rung": "loads", "message": "a node (", "shows": "readers-not-counted"}
BASE = "valid_proto"
EDITS = [
    ("return count + sum(readers(child, name) for child in children(graph))", "return count"),
]
