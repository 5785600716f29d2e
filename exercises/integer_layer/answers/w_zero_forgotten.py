"""Leaves the zero points of w out."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "It vanishes only where", "shows": "w-zero-forgotten"}
BASE = "valid_plain"
EDITS = [(" - w_zero.astype(np.int32)", "")]
