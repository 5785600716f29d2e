"""Leaves the codes as floats."""

EXPECTED = {"score": 0.5, "rung": "contract", "message": "codes in float", "shows": "floats-as-codes"}
BASE = "valid_plain"
EDITS = [("codes.astype(kind)", "codes")]
