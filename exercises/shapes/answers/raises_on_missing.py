"""Looks every value up, and not every value is declared."""

EXPECTED = {"score": 0.475, "rung": "type", "message": "it raises KeyError", "shows": "raises-key-error"}
BASE = "valid_plain"
EDITS = [
    ("counts[kind(declared.get(name))] += 1", "counts[kind(declared[name])] += 1"),
]
