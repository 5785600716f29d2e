"""Leaves the zero points of w out."""

EXPECTED = {"loses": ["unsigned-weights"], "rung": "numerics", "shows": "w-zero-forgotten"}
BASE = "valid_plain"
EDITS = [(" - w_zero.astype(np.int32)", "")]
