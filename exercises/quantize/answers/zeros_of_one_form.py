"""Thinks of a tensor of zeros in the asymmetric form alone."""

EXPECTED = {"score": 0.8875, "rung": "structure", "message": "another one", "shows": "nothing-to-divide-by"}
BASE = "valid_plain"
EDITS = [("    if scale == 0:\n", "    if scale == 0 and not symmetric:\n")]
