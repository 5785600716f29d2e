"""Runs each input once, so a random model is only a wrong one."""

EXPECTED = {"loses": ["random"], "rung": "numerics", "shows": "numbers-before-runs"}
BASE = "valid_plain"
EDITS = [
    (
        "first, second = (evaluator.run(list(run.expected), run.feeds) for _ in range(2))",
        "first = second = evaluator.run(list(run.expected), run.feeds)",
    ),
]
