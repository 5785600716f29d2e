"""Squared differences."""

EXPECTED = {"loses": ["entropy", "entropy-infinite"], "rung": "numerics", "shows": "squares"}
BASE = "valid_plain"
EDITS = [("(p[used] * np.log(p[used] / q[used])).sum()", "((p - q) ** 2).sum()")]
