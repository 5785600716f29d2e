"""Gives the last bin the larger of what it holds and what lies beyond."""

EXPECTED = {"loses": ["entropy-beyond"], "rung": "numerics", "shows": "larger-of-both"}
BASE = "valid_plain"
EDITS = [("        p[-1] += counts[n:].sum()", "        p[-1] = max(p[-1], counts[n:].sum())")]
