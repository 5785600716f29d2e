"""Gives p10 for p90."""

EXPECTED = {"score": 0.3, "rung": "contract", "message": "the wrong way round", "shows": "swapped"}
BASE = "valid_windows"
EDITS = [
    ("p10, middle, p90 = np.percentile(times, [10, 50, 90])", "p10, middle, p90 = np.percentile(times, [90, 50, 10])"),
]
