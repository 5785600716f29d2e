"""The quantized model as it came."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "put no layer back", "shows": "unchanged", "lazy": "argument"}
BASE = "valid_sets"
EDITS = [
    (
        "range(len(names) + 1)",
        "range(1)",
    ),
]
