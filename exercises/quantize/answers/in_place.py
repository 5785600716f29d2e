"""Divides the caller's array."""

EXPECTED = {"score": 0.6, "rung": "contract", "message": "is changed", "shows": "in-place"}
BASE = "valid_plain"
EDITS = [("    codes = np.rint(x / scale) + zero", "    x /= scale\n    codes = np.rint(x) + zero")]
