"""The quantized model as it came."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "unchanged", "lazy": "argument"}
BASE = "valid_sets"
EDITS = [
    (
        "range(len(names) + 1)",
        "range(1)",
    ),
]
