"""Gives p10 for p90."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "swapped"}
BASE = "valid_windows"
EDITS = [
    ("p10, middle, p90 = np.percentile(times, [10, 50, 90])", "p10, middle, p90 = np.percentile(times, [90, 50, 10])"),
]
