"""Adds the zero point, then rounds."""

EXPECTED = {"loses": ["ties"], "rung": "numerics", "shows": "adds-before-rounding"}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.rint(x / scale + zero)")]
