"""Gives np.percentile shares instead of percentages."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "fractions"}
BASE = "valid_windows"
EDITS = [
    ('[10, 50, 90]', '[0.1, 0.5, 0.9]'),
]
