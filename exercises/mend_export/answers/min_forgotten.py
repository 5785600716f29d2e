"""Lets every size begin at 1."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "Hand min and max", "shows": "limit-forgotten"}
BASE = "valid_walk"
EDITS = [
    ('Dim(word, min=limit.get("min", 1), max', "Dim(word, min=1, max"),
]
