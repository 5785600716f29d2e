"""Compares numbers and not their types."""

EXPECTED = {"score": 0.85, "rung": "structure", "message": "floats", "shows": "floats-are-numbers"}
BASE = "valid_plain"
EDITS = [
    (
        "all(type(value) is int and value >= 0 for value in values)",
        "not any(isinstance(value, (str, bool)) for value in values) and all(value >= 0 for value in values)",
    ),
]
