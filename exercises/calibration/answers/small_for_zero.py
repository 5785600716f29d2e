"""Divides by a small number where q is 0."""

EXPECTED = {"loses": ["entropy-infinite"], "rung": "numerics", "shows": "small-for-infinite"}
BASE = "valid_plain"
EDITS = [('/ q[used]', '/ np.maximum(q[used], 1e-9)')]
