"""Asks with isclose() whether the range is empty."""

EXPECTED = {"loses": ["tiny"], "rung": "structure", "shows": "limit-under-the-scale"}
BASE = "valid_plain"
EDITS = [("    if scale == 0:", "    if np.isclose(scale, 0):")]
