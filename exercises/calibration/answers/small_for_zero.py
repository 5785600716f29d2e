"""Divides by a small number where q is 0."""

EXPECTED = {"score": 0.8, "rung": "numerics", "message": "if a small number stands where q is 0", "shows": "small-for-infinite"}
BASE = "valid_plain"
EDITS = [('/ q[used]', '/ np.maximum(q[used], 1e-9)')]
