"""Adds the zero point, then rounds."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "Round the steps first", "shows": "adds-before-rounding"}
BASE = "valid_plain"
EDITS = [("np.rint(steps) + np.float32(y_zero)", "np.rint(steps + np.float32(y_zero))")]
