"""Gives np.percentile shares instead of percentages."""

EXPECTED = {"score": 0.3, "rung": "numerics", "message": "10 and not 0.1", "shows": "fractions"}
BASE = "valid_windows"
EDITS = [
    ('[10, 50, 90]', '[0.1, 0.5, 0.9]'),
]
