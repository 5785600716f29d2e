"""No bias."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "The bias is missing", "shows": "bias-left-out"}
BASE = "valid_plain"
EDITS = [("np.rint(bias / step)", "np.zeros_like(bias)")]
