"""Gives the best time for the median."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "best-of"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}""",
        '    return {"median": min(times), "p10": min(times), "p90": np.percentile(times, 90), "warmup": warmup}',
    ),
]
