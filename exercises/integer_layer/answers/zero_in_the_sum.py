"""Adds the zero point of y to the sum."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "Add it after the multiplication", "shows": "zero-in-the-sum"}
BASE = "valid_plain"
EDITS = [("total + np.rint", "total + np.int32(y_zero) + np.rint"), ("np.rint(steps) + np.float32(y_zero)", "np.rint(steps)")]
