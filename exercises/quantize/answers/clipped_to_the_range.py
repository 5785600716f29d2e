"""Clips the numbers to their finite range before it divides."""

EXPECTED = {"score": 0.719, "rung": "numerics", "message": "the last finite number", "shows": "clipped-to-the-range"}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale)", "np.rint(np.clip(x, low, high) / scale)")]
