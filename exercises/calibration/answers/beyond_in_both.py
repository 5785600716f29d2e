"""Makes q of p."""

EXPECTED = {"score": 0.25, "rung": "numerics", "message": "There p and q are alike", "shows": "clipping-is-free"}
BASE = "valid_plain"
EDITS = [("sums = kept.reshape", "sums = p.reshape")]
