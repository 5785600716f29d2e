"""Percentiles by Python's own statistics.quantiles, which goes beyond the ends of few times."""

EXPECTED = {"score": 1.0, "rung": None}
BASE = "valid_windows"
EDITS = [
    ("from statistics import median", "from statistics import median, quantiles"),
    ("import numpy as np\n", ""),
    ("p10, middle, p90 = np.percentile(times, [10, 50, 90])", "p10, *_, p90 = quantiles(times, n=10)\n    middle = median(times)"),
]
