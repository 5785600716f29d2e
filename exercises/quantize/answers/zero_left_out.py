"""Lets the range begin at the smallest number, also where that is above 0."""

EXPECTED = {"score": 0.775, "rung": "structure", "message": "The range has to hold 0", "shows": "zero-left-out"}
BASE = "valid_plain"
EDITS = [
    ("min(finite.min(), 0)", "finite.min()"),
    ("int(np.rint(-low / scale))", "int(np.clip(np.rint(-low / scale), 0, 255))"),
]
