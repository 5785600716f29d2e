"""Holds every value against 65504, also where the graph computes in float32."""

EXPECTED = {"score": 0.8875, "rung": "structure", "message": "are finite on these feeds", "shows": "finite-values"}
BASE = "valid_plain"
EDITS = [
    (
        "not np.isfinite(values[name]).all()]",
        "not (np.abs(values[name]) <= 65504).all()]",
    ),
]
