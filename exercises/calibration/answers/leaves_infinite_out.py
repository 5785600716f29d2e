"""Sums over the bins where both are not 0."""

EXPECTED = {"score": 0.25, "rung": "numerics", "message": "bins where q is 0 and p is not are left out", "shows": "infinite-left-out"}
BASE = "valid_plain"
EDITS = [('used = p > 0', 'used = (p > 0) & (q > 0)')]
