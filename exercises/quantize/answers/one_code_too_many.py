"""Symmetric codes with 128 steps."""

EXPECTED = {
    "loses": ["symmetric-range", "symmetric-codes", "mostly-negative", "zeros", "ties", "argument"], "rung":
    "structure", "shows": "one-code-too-many"
}
BASE = "valid_plain"
EDITS = [("/ 127", "/ 128")]
