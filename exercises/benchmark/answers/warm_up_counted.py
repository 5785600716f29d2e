"""Counts the warm-up, and leaves it in the statistics."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "warm-up-counted"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    warmup = {name: warm_up(clock, call) for name, call in variants.items()}
    times = {name: [] for name in variants}""",
        """\
    times = {name: warm_up(clock, call) for name, call in variants.items()}
    warmup = {name: len(times[name]) for name in variants}""",
    ),
    ("return len(times)", "return times"),
]
