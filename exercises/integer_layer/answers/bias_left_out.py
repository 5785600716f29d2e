"""No bias."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "bias-left-out"}
BASE = "valid_plain"
EDITS = [("np.rint(bias / step)", "np.zeros_like(bias)")]
