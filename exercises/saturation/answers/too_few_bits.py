"""Divides by eight."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "too-few-bits"}
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
