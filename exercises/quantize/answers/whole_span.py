"""The distance of the ends for symmetric codes."""

EXPECTED = {
    "loses": ["symmetric-range", "symmetric-codes", "mostly-negative", "zeros", "ties", "argument"], "rung":
    "structure", "shows": "whole-span"
}
BASE = "valid_plain"
EDITS = [("max(-low, high) / 127", "(high - low) / 255")]
