"""astype() for rounding."""

EXPECTED = {
    "loses": ["asymmetric-codes", "symmetric-codes", "one-sided", "mostly-negative", "zeros", "ties", "beyond-the-end",
    "tiny", "argument"], "rung": "numerics", "shows": "cuts"
}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.trunc(x / scale) + zero")]
