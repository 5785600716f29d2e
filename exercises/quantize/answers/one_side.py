"""The largest number for the largest magnitude."""

EXPECTED = {"score": 0.775, "rung": "structure", "message": "one side only", "shows": "one-side"}
BASE = "valid_plain"
EDITS = [("max(-low, high)", "high")]
