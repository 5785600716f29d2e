"""Takes true for a dimension."""

EXPECTED = {"loses": ["entries"], "rung": "structure", "shows": "bool-is-int"}
BASE = "valid_plain"
EDITS = [
    (
        "return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)",
        "return isinstance(values, list) and all(isinstance(value, int) and value >= 0 for value in values)",
    ),
]
