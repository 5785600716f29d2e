"""Percentiles by Python's own statistics.quantiles, which goes beyond the ends of few times."""

EXPECTED = {"rung": None}
BASE = "valid_windows"
EDITS = [
    ("from statistics import median", "from statistics import median, quantiles"),
    ("import numpy as np\n", ""),
    (
        "p10, middle, p90 = np.percentile(times, [10, 50, 90])",
        """\
several = times if len(times) > 1 else times * 2
    p10, *_, p90 = quantiles(several, n=10)
    middle = median(times)""",
    ),
]
