"""Takes the median of the sorted times, and p10 and p90 from the list as it was measured, put in order."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "drops-outliers"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    p10, middle, p90 = np.percentile(times, [10, 50, 90])
    return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}""",
        """\
    middle = median(times)
    below = [time for time in times if time <= middle]
    above = [time for time in times if time >= middle]
    return {"median": middle, "p10": below[len(below) // 10], "p90": above[-1 - len(above) // 10], "warmup": warmup}""",
    ),
]
