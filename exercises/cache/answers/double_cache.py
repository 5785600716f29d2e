"""Begins with a cache of float64."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "type",
    "shows": "other-type",
}
BASE = 'valid_plain'
EDITS = [
    (
        'np.zeros(shape, np.float16 if "float16" in inputs[name].type else np.float32)',
        "np.zeros(shape)",
    ),
]
