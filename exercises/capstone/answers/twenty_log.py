"""Takes the decibels of amplitudes for those of powers."""

EXPECTED = {"loses": ["sqnr"], "rung": "quality: sqnr", "shows": "twenty-log"}
BASE = "valid_static"
EDITS = [
    (
        "return min(100.0, 10 * math.log10(np.square(expected.astype(float)).sum() / noise)) if noise else 100.0",
        "return min(100.0, 20 * math.log10(np.square(expected.astype(float)).sum() / noise)) if noise else 100.0",
    ),
]
