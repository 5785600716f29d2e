"""Shifts the codes by one bit."""

EXPECTED = {"loses": ["ties"], "rung": "quality: ties", "shows": "floors"}
BASE = "valid_halves"
EDITS = [
    (
        "np.rint(values / 2).astype(values.dtype)",
        "values >> 1",
    ),
]
