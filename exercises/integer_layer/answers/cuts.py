"""astype() for rounding."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "cuts"}
BASE = "valid_plain"
EDITS = [("np.rint(steps)", "np.trunc(steps)")]
