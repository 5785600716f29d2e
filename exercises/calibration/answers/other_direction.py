"""Kullback and Leibler the other way round."""

EXPECTED = {"score": 0.5, "rung": "numerics", "message": "weigh by p", "shows": "other-direction"}
BASE = "valid_plain"
EDITS = [("        used = p > 0", "        p, q = q, p\n        used = p > 0")]
