"""Throws away what lies beyond one and a half quartile ranges."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "drops-outliers"}
BASE = "valid_windows"
EDITS = [
    (
        '    p10, middle',
        """\
    low, high = np.percentile(times, [25, 75])
    reach = 1.5 * (high - low)
    times = [time for time in times if low - reach <= time <= high + reach]
    p10, middle""",
    ),
]
