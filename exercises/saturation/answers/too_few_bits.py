"""Divides by eight."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "Each further bit costs 6 dB", "shows": "too-few-bits"}
BASE = "valid_halves"
EDITS = [
    (
        "values / 2",
        "values / 8",
    ),
    (
        "np.float32(2)",
        "np.float32(8)",
    ),
]
