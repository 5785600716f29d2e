"""The largest number for the largest magnitude."""

EXPECTED = {"loses": ["mostly-negative"], "rung": "structure", "shows": "one-side"}
BASE = "valid_plain"
EDITS = [("max(-low, high)", "high")]
