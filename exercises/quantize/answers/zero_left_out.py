"""Takes the range as it is, without 0."""

EXPECTED = {"score": 0.7158, "rung": "structure", "message": "The range has to hold 0", "shows": "zero-left-out"}
BASE = "valid_plain"
EDITS = [
    ("min(finite.min(), 0), max(finite.max(), 0)", "finite.min(), finite.max()"),
    ("int(np.rint(-low / scale))", "int(np.clip(np.rint(-low / scale), 0, 255))"),
]
