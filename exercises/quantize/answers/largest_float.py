"""nan_to_num() before the range."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "largest-float"}
BASE = "valid_plain"
EDITS = [("x[np.isfinite(x)]", "np.nan_to_num(x)")]
