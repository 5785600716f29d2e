"""Reads the start once, before everything."""

EXPECTED = {"loses": ["numbers", "edges"], "rung": "numerics", "shows": "start-once"}
BASE = "valid_windows"
EDITS = [
    (
        "    times = {name: [] for name in variants}",
        """\
    times = {name: [] for name in variants}
    started = clock()""",
    ),
    (
        "            times[name].append(turn(clock, call))",
        """\
            call()
            times[name].append(clock() - started)""",
    ),
]
