"""Counts the first output of each node."""

EXPECTED = {"loses": ["values"], "rung": "contract", "shows": "first-output"}
BASE = "valid_plain"
EDITS = [
    ("for name in node.output:", "for name in node.output[:1]:"),
]
