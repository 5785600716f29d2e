"""The code of 0 for what is infinite."""

EXPECTED = {
    "loses": ["asymmetric-codes", "symmetric-codes", "one-sided", "mostly-negative", "zeros", "ties", "beyond-the-end",
    "tiny", "argument"], "rung": "numerics", "shows": "infinite-left-at-zero"
}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.where(np.isfinite(x), np.rint(x / scale), 0) + zero")]
