"""Spreads over the bins in which something was kept."""

EXPECTED = {"loses": ["entropy", "entropy-gaps"], "rung": "numerics", "shows": "spread-by-kept"}
BASE = "valid_plain"
EDITS = [('full = (p > 0)', 'full = (kept > 0)')]
