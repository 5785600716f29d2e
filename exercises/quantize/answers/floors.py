"""The floor of each quotient."""

EXPECTED = {
    "loses": ["asymmetric-codes", "symmetric-codes", "one-sided", "mostly-negative", "zeros", "ties", "tiny",
    "argument"], "rung": "numerics", "shows": "floors"
}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.floor(x / scale) + zero")]
