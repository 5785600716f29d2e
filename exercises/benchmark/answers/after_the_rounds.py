"""Calls each variant once more at the end."""

EXPECTED = {"loses": ["turns", "numbers", "edges"], "rung": "structure", "shows": "after-the-rounds"}
BASE = "valid_windows"
EDITS = [
    (
        "            times[name].append(turn(clock, call))",
        """\
            times[name].append(turn(clock, call))
    first = next(iter(variants))
    for _ in range(2):
        turn(clock, variants[first])
        warmup[first] += 1""",
    ),
]
