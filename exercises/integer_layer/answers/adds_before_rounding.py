"""Adds the zero point, then rounds."""

EXPECTED = {"loses": ["ties"], "rung": "numerics", "shows": "adds-before-rounding"}
BASE = "valid_plain"
EDITS = [("np.rint(steps) + np.float32(y_zero)", "np.rint(steps + np.float32(y_zero))")]
