"""The range of all numbers, infinite ones too."""

EXPECTED = {"score": 0.1, "rung": "type", "message": "cannot convert float NaN to integer", "shows": "infinite-range"}
BASE = "valid_plain"
EDITS = [("x[np.isfinite(x)]", "x")]
