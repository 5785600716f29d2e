"""Makes groups of `levels` bins."""

EXPECTED = {"score": 0.25, "rung": "numerics", "message": "the other way", "shows": "groups-of-levels"}
BASE = "valid_plain"
EDITS = [
    ("full = (p > 0).reshape(levels, -1)", "full = (p > 0).reshape(-1, levels)"),
    ("sums = kept.reshape(levels, -1)", "sums = kept.reshape(-1, levels)"),
]
