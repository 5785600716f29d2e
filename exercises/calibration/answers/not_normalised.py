"""Compares counts."""

EXPECTED = {"score": 0.8, "rung": "numerics", "message": "divide each by its own sum", "shows": "not-normalised"}
BASE = "valid_plain"
EDITS = [("        p, q = p / p.sum(), q / max(q.sum(), 1)\n", "")]
