"""Removes initializers that no node of their own graph reads."""

EXPECTED = {"score": 0.7, "rung": "loads", "message": "What inner graphs read is still in use", "shows": "inner-readers-not-counted"}
BASE = "valid_rename"
EDITS = [
    ("lambda t: t.name in read | inputs)", "lambda t: t.name in inputs or any(t.name in node.input for node in graph.node))"),
]
