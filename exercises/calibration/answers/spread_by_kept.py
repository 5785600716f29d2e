"""Spreads over the bins in which something was kept."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "where that of **p** is not", "shows": "spread-by-kept"}
BASE = "valid_plain"
EDITS = [('full = (p > 0)', 'full = (kept > 0)')]
