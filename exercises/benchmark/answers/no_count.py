"""Leaves the count of the warm-up away."""

EXPECTED = {"loses": ["numbers", "warm", "frugal", "edges"], "rung": "contract", "shows": "no-count"}
BASE = "valid_windows"
EDITS = [
    (
        "    warmup = {name: warm_up(clock, call) for name, call in variants.items()}",
        """\
    for call in variants.values():
        warm_up(clock, call)""",
    ),
    ("return {name: summary(times[name], warmup[name]) for name in variants}", "return {name: summary(times[name]) for name in variants}"),
    ("def summary(times, warmup):", "def summary(times):"),
    ('return {"median": middle, "p10": p10, "p90": p90, "warmup": warmup}', 'return {"median": middle, "p10": p10, "p90": p90}'),
]
