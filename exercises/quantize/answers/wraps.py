"""Converts without clipping."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "256 becomes 0", "shows": "wraps"}
BASE = "valid_plain"
EDITS = [
    ("    codes = np.clip(codes, np.iinfo(kind).min, np.iinfo(kind).max)\n", ""),
    ("codes.astype(kind)", "codes.astype(int).astype(kind)"),
]
