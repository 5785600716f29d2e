"""Kullback and Leibler the other way round."""

EXPECTED = {"loses": ["entropy", "entropy-gaps", "entropy-infinite"], "rung": "numerics", "shows": "other-direction"}
BASE = "valid_plain"
EDITS = [("        used = p > 0", "        p, q = q, p\n        used = p > 0")]
