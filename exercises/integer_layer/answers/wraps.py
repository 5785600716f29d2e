"""Converts without clipping."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "256 becomes 0", "shows": "wraps"}
BASE = "valid_plain"
EDITS = [
    ("    codes = np.clip(codes, limits.min, limits.max)\n", ""),
    ("codes.astype(y_zero.dtype)", "codes.astype(int).astype(y_zero.dtype)"),
]
