"""Holds numbers in 64 bits with a sign."""

EXPECTED = {"loses": ["valid"], "rung": "structure", "shows": "signed-numbers"}
BASE = "valid_plain"
EDITS = [("2**64", "2**63")]
