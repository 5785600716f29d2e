"""Counts the calls of the rounds as warm-up, too."""

EXPECTED = {"loses": ["told", "numbers", "warm", "frugal", "refusals", "edges"], "rung": "contract: the count", "shows": "rounds-counted"}
BASE = "valid_windows"
EDITS = [
    ('"warmup": warmup}', '"warmup": warmup + len(times)}'),
]
