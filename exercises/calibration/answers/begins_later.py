"""Begins with two bins in each group."""

EXPECTED = {"loses": ["entropy-equal"], "rung": "numerics", "shows": "first-not-tried"}
BASE = "valid_plain"
EDITS = [('range(levels, len', 'range(2 * levels, len')]
