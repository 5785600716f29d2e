"""Extends the range to 0 at its lower end alone."""

EXPECTED = {"loses": ["one-sided"], "rung": "structure", "shows": "zero-left-out"}
BASE = "valid_plain"
EDITS = [
    ("max(finite.max(), 0)", "finite.max()"),
    ("int(np.rint(-low / scale))", "int(np.clip(np.rint(-low / scale), 0, 255))"),
]
