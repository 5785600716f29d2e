"""Halves the codes, and leaves the scale."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "Double their scale", "shows": "scale-left"}
BASE = "valid_halves"
EDITS = [
    (
        "step * np.float32(2)",
        "step",
    ),
]
