"""Ties go up."""

EXPECTED = {"loses": ["ties", "beyond-the-end"], "rung": "numerics", "shows": "half-up"}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.floor(x / scale + np.float32(0.5)) + zero")]
