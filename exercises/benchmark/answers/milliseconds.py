"""Gives milliseconds."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "milliseconds"}
BASE = "valid_windows"
EDITS = [
    ("p10, middle, p90 = np.percentile(times, [10, 50, 90])", "p10, middle, p90 = 1000 * np.percentile(times, [10, 50, 90])"),
]
