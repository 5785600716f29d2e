"""Leaves the zero point of y out."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "y-zero-left-out"}
BASE = "valid_plain"
EDITS = [("np.rint(steps) + np.float32(y_zero)", "np.rint(steps)")]
