"""Leaves the largest size out."""

EXPECTED = {"loses": ["limits"], "rung": "type", "shows": "limit-forgotten"}
BASE = "valid_walk"
EDITS = [
    ('max=limit.get("max")', "max=None"),
]
