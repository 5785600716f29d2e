"""Begins one bin too late with what lies beyond."""

EXPECTED = {"loses": ["entropy-beyond"], "rung": "numerics", "shows": "one-bin-lost"}
BASE = "valid_plain"
EDITS = [('counts[n:].sum()', 'counts[n + 1 :].sum()')]
