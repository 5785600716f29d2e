"""Divides noise by signal."""

EXPECTED = {"loses": ["sqnr"], "rung": "quality: sqnr", "shows": "sign-turned"}
BASE = "valid_static"
EDITS = [
    (
        "return min(100.0, 10 * math.log10(np.square(expected.astype(float)).sum() / noise)) if noise else 100.0",
        "return min(100.0, 10 * math.log10(noise / np.square(expected.astype(float)).sum())) if noise else 100.0",
    ),
]
