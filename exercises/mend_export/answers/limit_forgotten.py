"""Leaves the largest size out."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "Hand min and max", "shows": "limit-forgotten"}
BASE = "valid_walk"
EDITS = [
    ('max=limit.get("max")', "max=None"),
]
