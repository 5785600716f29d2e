"""Warms up, and says that it did not."""

EXPECTED = {"score": 0.4, "rung": "structure", "message": "warmup says that there were none", "shows": "warm-up-not-told"}
BASE = "valid_windows"
EDITS = [
    (
        "return {name: summary(times[name], warmup[name]) for name in variants}",
        "return {name: summary(times[name], 0 * warmup[name]) for name in variants}",
    ),
]
