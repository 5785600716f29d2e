"""One layer, the best that fits."""

EXPECTED = {"score": 0.6, "rung": "numerics", "message": "room for more layers", "shows": "only-one"}
BASE = "valid_sets"
EDITS = [
    (
        "range(len(names) + 1)",
        "range(2)",
    ),
]
