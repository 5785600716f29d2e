"""Clips the numbers to their finite range before it divides."""

EXPECTED = {"loses": ["symmetric-codes", "mostly-negative", "zeros", "ties", "argument"], "rung": "numerics", "shows": "clipped-to-the-range"}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale)", "np.rint(np.clip(x, low, high) / scale)")]
