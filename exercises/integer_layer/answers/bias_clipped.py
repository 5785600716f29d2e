"""Clips the bias to the range of int32, as a kernel would."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "where you clip it", "shows": "bias-in-32-bits"}
BASE = "valid_plain"
EDITS = [("np.rint(bias / step).astype(np.int64)", "np.clip(np.rint(bias / step), -(2**31), 2**31 - 1).astype(np.int64)")]
