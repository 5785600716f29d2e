"""Gives the mean for the median."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "mean"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}""",
        """\
    p10, p90 = np.percentile(times, [10, 90])
    return {"median": np.clip(np.mean(times), p10, p90), "p10": p10, "p90": p90, "warmup": warmup}""",
    ),
]
