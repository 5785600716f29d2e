"""Looks at the largest number of each value, and never for minus infinity."""

EXPECTED = {"loses": ["two-overflows"], "rung": "structure", "shows": "lists-downstream"}
BASE = "valid_plain"
EDITS = [
    (
        "all(np.isfinite(values[name]).all() for name",
        "all(values[name].max() < np.inf for name",
    ),
    (
        "not np.isfinite(values[name]).all()]",
        "not values[name].max() < np.inf]",
    ),
]
