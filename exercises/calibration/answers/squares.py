"""Squared differences."""

EXPECTED = {"score": 0.6, "rung": "numerics", "message": "squared differences", "shows": "squares"}
BASE = "valid_plain"
EDITS = [("(p[used] * np.log(p[used] / q[used])).sum()", "((p - q) ** 2).sum()")]
