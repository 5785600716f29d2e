"""Spreads each group over all of its bins."""

EXPECTED = {"loses": ["entropy-gaps", "entropy-beyond"], "rung": "numerics", "shows": "spread-over-empty-bins"}
BASE = "valid_plain"
EDITS = [("full = (p > 0).reshape(levels, -1)", "full = np.ones((levels, n // levels), bool)")]
