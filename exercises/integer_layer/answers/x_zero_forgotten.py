"""Leaves the zero point of x out."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "A code is not the number itself", "shows": "x-zero-forgotten"}
BASE = "valid_plain"
EDITS = [(" - np.int32(x_zero)", "")]
