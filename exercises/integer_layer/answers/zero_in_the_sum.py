"""Adds the zero point of y to the sum."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "zero-in-the-sum"}
BASE = "valid_plain"
EDITS = [("total + np.rint", "total + np.int32(y_zero) + np.rint"), ("np.rint(steps) + np.float32(y_zero)", "np.rint(steps)")]
