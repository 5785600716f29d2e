"""Converts without clipping."""

EXPECTED = {
    "loses": ["signed-weights", "unsigned-weights", "signed-codes", "deep", "wide-bias", "arguments"], "rung":
    "numerics", "shows": "wraps"
}
BASE = "valid_plain"
EDITS = [
    ("    codes = np.clip(codes, limits.min, limits.max)\n", ""),
    ("codes.astype(y_zero.dtype)", "codes.astype(int).astype(y_zero.dtype)"),
]
