"""Sorts the names by the alphabet."""

EXPECTED = {"loses": ["two-overflows"], "rung": "structure", "shows": "sorts-names"}
BASE = "valid_plain"
EDITS = [
    ("return found", "return sorted(found)"),
]
