"""Holds every value against 65504, also where the graph computes in float32."""

EXPECTED = {"loses": ["float32"], "rung": "structure", "shows": "finite-values"}
BASE = "valid_plain"
EDITS = [
    (
        "not np.isfinite(values[name]).all()]",
        "not (np.abs(values[name]) <= 65504).all()]",
    ),
]
