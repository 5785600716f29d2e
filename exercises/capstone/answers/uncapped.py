"""Does not end the scale at 100."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "beyond the end of the scale", "shows": "uncapped"}
BASE = "valid_static"
EDITS = [
    (
        "return min(100.0, 10 * math.log10(np.square(expected.astype(float)).sum() / noise)) if noise else 100.0",
        "return 10 * math.log10(np.square(expected.astype(float)).sum() / noise) if noise else 100.0",
    ),
]
