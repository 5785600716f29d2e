"""Asks for the expected outputs to the precision of float32."""

EXPECTED = {"loses": ["healthy"], "rung": "numerics", "shows": "exact-comparison"}
BASE = "valid_plain"
EDITS = [
    (
        "if max(museum.relative_error(a, b) for a, b in zip(first, run.expected.values(), strict=True)) > museum.TOLERANCE:",
        "if max(museum.relative_error(a, b) for a, b in zip(first, run.expected.values(), strict=True)) > 1e-5:",
    ),
]
