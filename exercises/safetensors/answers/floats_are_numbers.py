"""Compares numbers and not their types."""

EXPECTED = {"loses": ["entries"], "rung": "structure", "shows": "floats-are-numbers"}
BASE = "valid_plain"
EDITS = [
    (
        "all(type(value) is int and value >= 0 for value in values)",
        "not any(isinstance(value, (str, bool)) for value in values) and all(value >= 0 for value in values)",
    ),
]
