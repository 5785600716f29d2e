"""Compares counts."""

EXPECTED = {"loses": ["entropy"], "rung": "numerics", "shows": "not-normalised"}
BASE = "valid_plain"
EDITS = [("        p, q = p / p.sum(), q / max(q.sum(), 1)\n", "")]
