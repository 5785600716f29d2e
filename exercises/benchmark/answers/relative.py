"""Gives every time in multiples of the first variant's median."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "relative"}
BASE = "valid_windows"
EDITS = [
    (
        '    return {name: summary(times[name], warmup[name]) for name in variants}',
        """\
    one = np.median(next(iter(times.values())))
    return {name: summary(np.array(times[name]) / one, warmup[name]) for name in variants}""",
    ),
]
