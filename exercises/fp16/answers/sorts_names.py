"""Sorts the names by the alphabet."""

EXPECTED = {"score": 0.6, "rung": "numerics", "message": "in another order", "shows": "sorts-names"}
BASE = "valid_lifted"
EDITS = [
    ("return found", "return sorted(found)"),
]
