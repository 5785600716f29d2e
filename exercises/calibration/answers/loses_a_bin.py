"""Begins one bin too late with what lies beyond."""

EXPECTED = {"score": 0.8, "rung": "numerics", "message": "neither kept nor clipped", "shows": "one-bin-lost"}
BASE = "valid_plain"
EDITS = [('counts[n:].sum()', 'counts[n + 1 :].sum()')]
