"""Does not end the scale at 100."""

EXPECTED = {"loses": ["sqnr"], "rung": "quality: sqnr", "shows": "uncapped"}
BASE = "valid_static"
EDITS = [
    (
        "return min(100.0, 10 * math.log10(np.square(expected.astype(float)).sum() / noise)) if noise else 100.0",
        "return 10 * math.log10(np.square(expected.astype(float)).sum() / noise) if noise else 100.0",
    ),
]
