"""Sorts the names by the alphabet."""

EXPECTED = {"score": 0.6625, "rung": "structure", "message": "in another order", "shows": "sorts-names"}
BASE = "valid_plain"
EDITS = [
    ("return found", "return sorted(found)"),
]
