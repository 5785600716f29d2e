"""astype() for rounding."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "a whole step away", "shows": "cuts"}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.trunc(x / scale) + zero")]
