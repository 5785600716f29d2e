"""Adds a number to p and to q that is too small to change any other sum."""

EXPECTED = {"loses": ["entropy-infinite"], "rung": "numerics", "shows": "small-for-infinite"}
BASE = "valid_plain"
EDITS = [("p[used] * np.log(p[used] / q[used])", "p[used] * np.log((p[used] + 1e-30) / (q[used] + 1e-30))")]
