"""astype() for rounding."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "Round first", "shows": "cuts"}
BASE = "valid_plain"
EDITS = [("np.rint(steps)", "np.trunc(steps)")]
