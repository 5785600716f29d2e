"""Sorts the names by the alphabet."""

EXPECTED = {"score": 0.891, "rung": "search", "message": "in another order", "shows": "sorts-names"}
BASE = "valid_lifted"
EDITS = [
    ("return found", "return sorted(found)"),
]
