"""Cuts the codes off at 64."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "clips"}
BASE = "valid_halves"
EDITS = [
    (
        "np.rint(values / 2)",
        "np.clip(values, -64, 64)",
    ),
    (
        "step * np.float32(2)",
        "step",
    ),
]
