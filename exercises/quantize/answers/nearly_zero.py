"""Asks with isclose() whether the range is empty."""

EXPECTED = {"score": 0.8875, "rung": "structure", "message": "nearly 0", "shows": "limit-under-the-scale"}
BASE = "valid_plain"
EDITS = [("    if scale == 0:", "    if np.isclose(scale, 0):")]
