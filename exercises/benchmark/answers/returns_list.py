"""Returns a list of dicts."""

EXPECTED = {"score": 0.0, "rung": "type", "message": "Another thing is returned", "shows": "returns-something-else"}
BASE = "valid_windows"
EDITS = [
    (
        "return {name: summary(times[name], warmup[name]) for name in variants}",
        "return [summary(times[name], warmup[name]) for name in variants]",
    ),
]
