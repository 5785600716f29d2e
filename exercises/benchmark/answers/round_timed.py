"""Reads the clock once a round, and gives every variant its part."""

EXPECTED = {"loses": ["turns", "numbers", "edges"], "rung": "structure", "shows": "round-timed"}
BASE = "valid_windows"
EDITS = [
    ("times = {name: [] for name in variants}", "times = []"),
    (
        """\
        for name, call in variants.items():
            times[name].append(turn(clock, call))
    return {name: summary(times[name], warmup[name]) for name in variants}""",
        """\
        started = clock()
        for call in variants.values():
            call()
        times.append((clock() - started) / len(variants))
    return {name: summary(times, warmup[name]) for name in variants}""",
    ),
]
