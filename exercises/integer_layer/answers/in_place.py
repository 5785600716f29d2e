"""Subtracts the zero point in the caller's array."""

EXPECTED = {"score": 0.6, "rung": "contract", "message": "is changed", "shows": "in-place"}
BASE = "valid_plain"
EDITS = [("    a = x", "    w -= w_zero\n    a = x"), (" - w_zero.astype(np.int32)", "")]
