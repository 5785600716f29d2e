"""Counts the readers among the nodes of the same graph only."""

EXPECTED = {"loses": ["inside"], "rung": "loads", "shows": "readers-not-counted"}
BASE = "valid_proto"
EDITS = [
    ("return count + sum(readers(child, name) for child in children(graph))", "return count"),
]
