"""Leaves the zero point of y out."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "y_zero is missing", "shows": "y-zero-left-out"}
BASE = "valid_plain"
EDITS = [("np.rint(steps) + np.float32(y_zero)", "np.rint(steps)")]
