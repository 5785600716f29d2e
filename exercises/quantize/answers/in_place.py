"""Divides the caller's array."""

EXPECTED = {"loses": ["argument"], "rung": "contract: the argument", "shows": "in-place"}
BASE = "valid_plain"
EDITS = [("    codes = np.rint(x / scale) + zero", "    x /= scale\n    codes = np.rint(x) + zero")]
