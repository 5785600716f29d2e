"""Makes groups of `levels` bins."""

EXPECTED = {
    "loses": ["entropy-outliers", "entropy", "entropy-gaps", "entropy-infinite", "entropy-beyond", "entropy-equal",
    "argument"], "rung": "numerics", "shows": "groups-of-levels"
}
BASE = "valid_plain"
EDITS = [
    ("full = (p > 0).reshape(levels, -1)", "full = (p > 0).reshape(-1, levels)"),
    ("sums = kept.reshape(levels, -1)", "sums = kept.reshape(-1, levels)"),
]
