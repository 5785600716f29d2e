"""Unsigned codes for weights too."""

EXPECTED = {
    "loses": ["symmetric-range", "symmetric-codes", "mostly-negative", "zeros", "ties", "argument"], "rung": "contract",
    "shows": "wrong-sign"
}
BASE = "valid_plain"
EDITS = [("0, np.int8", "0, np.uint8")]
