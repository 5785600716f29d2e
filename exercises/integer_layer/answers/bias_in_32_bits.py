"""Converts the bias to int32, where it may wrap."""

EXPECTED = {"loses": ["wide-bias"], "rung": "numerics", "shows": "bias-in-32-bits"}
BASE = "valid_plain"
EDITS = [("np.rint(bias / step).astype(np.int64)", "np.rint(bias / step).astype(np.int32)")]
