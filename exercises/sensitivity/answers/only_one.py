"""One layer, the best that fits."""

EXPECTED = {
    "loses": ["two-layers", "one-or-two", "shared-weight"],
    "rung": "numerics",
    "shows": "only-one",
}
BASE = "valid_sets"
EDITS = [
    (
        "range(len(names) + 1)",
        "range(2)",
    ),
]
