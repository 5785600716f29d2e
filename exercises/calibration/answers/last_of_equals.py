"""Takes the last of cuts that are equally good."""

EXPECTED = {"loses": ["entropy-beyond", "entropy-equal"], "rung": "numerics", "shows": "last-of-equals"}
BASE = "valid_plain"
EDITS = [('if distance < best', 'if distance <= best')]
