"""Takes p10 and p90 from the mean and the standard deviation."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "bell-curve"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}""",
        """\
    middle, spread = median(times), 1.28 * np.std(times)
    return {"median": middle, "p10": middle - spread, "p90": middle + spread, "warmup": warmup}""",
    ),
]
