"""Begins with two bins in each group."""

EXPECTED = {"score": 0.8, "rung": "numerics", "message": "The first n is `levels`", "shows": "first-not-tried"}
BASE = "valid_plain"
EDITS = [('range(levels, len', 'range(2 * levels, len')]
