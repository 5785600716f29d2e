"""Leaves the codes as floats."""

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "floats-as-codes"}
BASE = "valid_plain"
EDITS = [("codes.astype(kind)", "codes")]
