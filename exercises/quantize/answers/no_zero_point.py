"""The zero point is returned and not added."""

EXPECTED = {
    "loses": ["asymmetric-codes", "one-sided", "zeros", "ties", "beyond-the-end", "tiny", "argument"], "rung":
    "numerics", "shows": "no-zero-point"
}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.rint(x / scale)")]
