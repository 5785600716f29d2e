"""Leaves the rounding to astype."""

EXPECTED = {"loses": ["ties"], "rung": "quality: ties", "shows": "cuts-towards-zero"}
BASE = "valid_halves"
EDITS = [
    (
        "np.rint(values / 2)",
        "(values / 2)",
    ),
]
