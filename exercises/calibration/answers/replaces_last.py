"""Puts what lies beyond in place of the last bin."""

EXPECTED = {"loses": ["entropy-beyond"], "rung": "numerics", "shows": "last-bin-replaced"}
BASE = "valid_plain"
EDITS = [('p[-1] += counts[n:].sum()', 'p[-1] = counts[n:].sum()')]
