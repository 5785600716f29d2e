"""The range of all numbers, infinite ones too."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "infinite-range"}
BASE = "valid_plain"
EDITS = [("x[np.isfinite(x)]", "x")]
