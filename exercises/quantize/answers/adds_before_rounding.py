"""Adds the zero point, then rounds."""

EXPECTED = {"score": 0.8875, "rung": "numerics", "message": "Round the number of steps first", "shows": "adds-before-rounding"}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.rint(x / scale + zero)")]
