"""Gives quartiles for p10 and p90."""

EXPECTED = {"score": 0.3, "rung": "numerics", "message": "quartile", "shows": "quartiles"}
BASE = "valid_windows"
EDITS = [
    ("p10, middle, p90 = np.percentile(times, [10, 50, 90])", "p10, middle, p90 = np.percentile(times, [25, 50, 75])"),
]
