"""Lets every size begin at 1."""

EXPECTED = {"loses": ["limits"], "rung": "type", "shows": "limit-forgotten"}
BASE = "valid_walk"
EDITS = [
    ('Dim(word, min=limit.get("min", 1), max', "Dim(word, min=1, max"),
]
