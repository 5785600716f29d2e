"""Calls the levels by the names of their members."""

EXPECTED = {"score": 0.5, "rung": "contract", "message": "short names of the table", "shows": "own-keys"}
BASE = "valid_plain"
EDITS = [
    ('counts[key] = count', 'counts[LEVELS[key]] = count'),
]
