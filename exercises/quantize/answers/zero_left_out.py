"""Lets the range begin at the smallest number, also where that is above 0."""

EXPECTED = {"loses": ["one-sided"], "rung": "structure", "shows": "zero-left-out"}
BASE = "valid_plain"
EDITS = [
    ("min(finite.min(), 0)", "finite.min()"),
    ("int(np.rint(-low / scale))", "int(np.clip(np.rint(-low / scale), 0, 255))"),
]
