"""nan_to_num() before the range."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "stretches the range as far", "shows": "largest-float"}
BASE = "valid_plain"
EDITS = [("x[np.isfinite(x)]", "np.nan_to_num(x)")]
