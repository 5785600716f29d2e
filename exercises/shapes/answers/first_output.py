"""Counts the first output of each node."""

EXPECTED = {"score": 0.962, "rung": "contract", "message": "only the first output", "shows": "first-output"}
BASE = "valid_plain"
EDITS = [
    ("for name in node.output:", "for name in node.output[:1]:"),
]
