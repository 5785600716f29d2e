"""Thinks of a tensor of zeros in the asymmetric form alone."""

EXPECTED = {"loses": ["zeros"], "rung": "structure", "shows": "nothing-to-divide-by"}
BASE = "valid_plain"
EDITS = [("    if scale == 0:\n", "    if scale == 0 and not symmetric:\n")]
