"""Spreads each group over all of its bins."""

EXPECTED = {"score": 0.5, "rung": "numerics", "message": "also over those where p is 0", "shows": "spread-over-empty-bins"}
BASE = "valid_plain"
EDITS = [("full = (p > 0).reshape(levels, -1)", "full = np.ones((levels, n // levels), bool)")]
