"""Halves the codes, and leaves the scale."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "scale-left"}
BASE = "valid_halves"
EDITS = [
    (
        "step * np.float32(2)",
        "step",
    ),
]
