"""Rounds to a tenth of a millisecond."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "rounded"}
BASE = "valid_windows"
EDITS = [
    ('np.percentile(times, [10, 50, 90])', 'np.percentile(times, [10, 50, 90]).round(4)'),
]
