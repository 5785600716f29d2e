"""Looks at the first of the three runs only."""

EXPECTED = {"loses": ["batch"], "rung": "numerics", "shows": "runs-left-out"}
BASE = "valid_plain"
EDITS = [
    ("for run in museum.read_runs(path):", "for run in museum.read_runs(path)[:1]:"),
]
