"""Measures one variant after the other."""

EXPECTED = {"loses": ["turns", "edges"], "rung": "structure", "shows": "block-sequential"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    warmup = {name: warm_up(clock, call) for name, call in variants.items()}
    times = {name: [] for name in variants}
    for _ in range(rounds):
        for name, call in variants.items():
            times[name].append(turn(clock, call))
    return {name: summary(times[name], warmup[name]) for name in variants}""",
        """\
    result = {}
    for name, call in variants.items():
        warmup = warm_up(clock, call)
        result[name] = summary([turn(clock, call) for _ in range(rounds)], warmup)
    return result""",
    ),
]
