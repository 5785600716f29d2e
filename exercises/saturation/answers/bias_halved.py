"""Doubles the scale of the bias, and leaves its codes."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "bias-halved"}
BASE = "valid_halves"
EDITS = [
    (
        "np.rint(values / 2)",
        "np.rint(values / (1 if values.dtype == np.int32 else 2))",
    ),
]
