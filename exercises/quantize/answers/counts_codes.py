"""Divides by the number of codes."""

EXPECTED = {
    "loses": ["asymmetric-range", "asymmetric-codes", "one-sided", "zeros", "ties", "beyond-the-end", "tiny",
    "argument"], "rung": "structure", "shows": "counts-codes"
}
BASE = "valid_plain"
EDITS = [("/ 255", "/ 256")]
