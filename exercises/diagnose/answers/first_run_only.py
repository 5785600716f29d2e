"""Looks at the first of the three runs only."""

EXPECTED = {"score": 0.85, "rung": "numerics", "message": "saw one batch", "shows": "runs-left-out"}
BASE = "valid_plain"
EDITS = [
    ("for run in museum.read_runs(path):", "for run in museum.read_runs(path)[:1]:"),
]
