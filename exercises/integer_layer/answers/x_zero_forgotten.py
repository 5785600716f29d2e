"""Leaves the zero point of x out."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "x-zero-forgotten"}
BASE = "valid_plain"
EDITS = [(" - np.int32(x_zero)", "")]
