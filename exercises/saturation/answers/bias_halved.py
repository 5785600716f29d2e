"""Doubles the scale of the bias, and leaves its codes."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "Divide the codes by the same factor", "shows": "bias-halved"}
BASE = "valid_halves"
EDITS = [
    (
        "np.rint(values / 2)",
        "np.rint(values / (1 if values.dtype == np.int32 else 2))",
    ),
]
