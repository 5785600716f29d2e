"""Gives quartiles for p10 and p90."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "quartiles"}
BASE = "valid_windows"
EDITS = [
    ("p10, middle, p90 = np.percentile(times, [10, 50, 90])", "p10, middle, p90 = np.percentile(times, [25, 50, 75])"),
]
