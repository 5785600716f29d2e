"""Sums over the bins where both are not 0."""

EXPECTED = {"loses": ["entropy-gaps", "entropy-infinite", "entropy-beyond"], "rung": "numerics", "shows": "infinite-left-out"}
BASE = "valid_plain"
EDITS = [('used = p > 0', 'used = (p > 0) & (q > 0)')]
