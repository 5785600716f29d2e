"""Puts what lies beyond in place of the last bin."""

EXPECTED = {"score": 0.8, "rung": "numerics", "message": "replaces what the last bin", "shows": "last-bin-replaced"}
BASE = "valid_plain"
EDITS = [('p[-1] += counts[n:].sum()', 'p[-1] = counts[n:].sum()')]
