"""The zero point is returned and not added."""

EXPECTED = {"score": 0.606, "rung": "numerics", "message": "The zero point is missing", "shows": "no-zero-point"}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.rint(x / scale)")]
