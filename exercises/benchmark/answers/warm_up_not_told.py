"""Warms up, and says that it did not."""

EXPECTED = {"loses": ["told", "frugal", "refusals", "edges"], "rung": "contract: the count", "shows": "warm-up-not-told"}
BASE = "valid_windows"
EDITS = [
    (
        "return {name: summary(times[name], warmup[name]) for name in variants}",
        "return {name: summary(times[name], 0 * warmup[name]) for name in variants}",
    ),
]
