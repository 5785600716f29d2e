"""Subtracts the zero point in the caller's array, too."""

EXPECTED = {"loses": ["arguments"], "rung": "contract: the arguments", "shows": "in-place"}
BASE = "valid_plain"
EDITS = [
    (
        "    a = x.astype(np.int32) - np.int32(x_zero)",
        "    a = x.astype(np.int32) - np.int32(x_zero)\n    x -= x_zero",
    ),
]
