"""Returns a list of dicts."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-something-else"}
BASE = "valid_windows"
EDITS = [
    (
        "return {name: summary(times[name], warmup[name]) for name in variants}",
        "return [summary(times[name], warmup[name]) for name in variants]",
    ),
]
