"""Multiplies the dimensions with numpy."""

EXPECTED = {"loses": ["offsets"], "rung": "structure", "shows": "numpy-prod"}
BASE = "valid_plain"
EDITS = [
    ("import math", ""),
    (
        'if end - begin != math.prod(entry["shape"]) * SIZES[entry["dtype"]]:',
        'if end - begin != int(np.prod(entry["shape"], dtype=np.int64)) * SIZES[entry["dtype"]]:',
    ),
]
