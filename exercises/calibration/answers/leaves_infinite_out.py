"""Sums over the bins where both are not 0."""

EXPECTED = {"score": 0.25, "rung": "numerics", "message": "Leave out the bins", "shows": "infinite-left-out"}
BASE = "valid_plain"
EDITS = [('used = p > 0', 'used = (p > 0) & (q > 0)')]
