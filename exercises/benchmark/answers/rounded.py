"""Rounds to a tenth of a millisecond."""

EXPECTED = {"score": 0.3, "rung": "numerics", "message": "rounded to so few decimals", "shows": "rounded"}
BASE = "valid_windows"
EDITS = [
    ('np.percentile(times, [10, 50, 90])', 'np.percentile(times, [10, 50, 90]).round(4)'),
]
