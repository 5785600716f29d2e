"""Shifts the codes by one bit."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "Round to nearest", "shows": "floors"}
BASE = "valid_halves"
EDITS = [
    (
        "np.rint(values / 2).astype(values.dtype)",
        "values >> 1",
    ),
]
