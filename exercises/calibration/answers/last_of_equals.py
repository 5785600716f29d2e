"""Takes the last of cuts that are equally good."""

EXPECTED = {"score": 0.5, "rung": "numerics", "message": "of equal ones the lowest", "shows": "last-of-equals"}
BASE = "valid_plain"
EDITS = [('if distance < best', 'if distance <= best')]
