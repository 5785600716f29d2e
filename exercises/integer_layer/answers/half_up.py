"""Ties go up."""

EXPECTED = {"loses": ["ties"], "rung": "numerics", "shows": "half-up"}
BASE = "valid_plain"
EDITS = [("np.rint(steps)", "np.floor(steps + np.float32(0.5))")]
