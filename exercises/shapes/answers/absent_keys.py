"""Leaves out the key of the values that nobody declares."""

EXPECTED = {"score": 0.8, "rung": "contract", "message": "no key missing", "shows": "absent-keys"}
BASE = "valid_plain"
EDITS = [
    ("return counts", 'return {name: count for name, count in counts.items() if name != "missing"}'),
]
