"""Leaves the rounding to astype."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "drop the fraction", "shows": "cuts-towards-zero"}
BASE = "valid_halves"
EDITS = [
    (
        "np.rint(values / 2)",
        "(values / 2)",
    ),
]
