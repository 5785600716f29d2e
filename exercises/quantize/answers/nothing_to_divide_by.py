"""Divides by the scale 0 of a tensor of zeros in the asymmetric form."""

EXPECTED = {"loses": ["zeros"], "rung": "structure", "shows": "nothing-to-divide-by"}
BASE = "valid_plain"
EDITS = [
    ("    if scale == 0:\n", "    if scale == 0 and symmetric:\n"),
    (
        "    if not symmetric:\n        zero = int(np.rint(-low / scale))\n    codes = np.rint(x / scale) + zero",
        "    if not symmetric and scale:\n        zero = int(np.rint(-low / scale))\n    codes = np.rint(x / (scale or 1)) + zero",
    ),
]
