"""Takes true for a dimension."""

EXPECTED = {"score": 0.85, "rung": "structure", "message": "a dimension that is true", "shows": "bool-is-int"}
BASE = "valid_plain"
EDITS = [
    (
        "return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)",
        "return isinstance(values, list) and all(isinstance(value, int) and value >= 0 for value in values)",
    ),
]
