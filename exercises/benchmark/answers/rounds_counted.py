"""Counts the calls of the rounds as warm-up, too."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "how often the variant was called in all", "shows": "rounds-counted"}
BASE = "valid_windows"
EDITS = [
    ('"warmup": warmup}', '"warmup": warmup + len(times)}'),
]
