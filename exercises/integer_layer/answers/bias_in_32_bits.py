"""Converts the bias to int32, where it may wrap."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "more steps than int32 holds", "shows": "bias-in-32-bits"}
BASE = "valid_plain"
EDITS = [("np.rint(bias / step).astype(np.int64)", "np.rint(bias / step).astype(np.int32)")]
