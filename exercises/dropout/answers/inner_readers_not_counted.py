"""Removes initializers that no node of their own graph reads."""

EXPECTED = {"loses": ["inside"], "rung": "loads", "shows": "inner-readers-not-counted"}
BASE = "valid_rename"
EDITS = [
    ("lambda t: t.name in read | inputs)", "lambda t: t.name in inputs or any(t.name in node.input for node in graph.node))"),
]
