"""Takes percentiles from the times in the order in which they were measured."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "unsorted"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}""",
        """\
    at = len(times) // 10
    return {"median": times[len(times) // 2], "p10": times[at], "p90": times[-1 - at], "warmup": warmup}""",
    ),
]
