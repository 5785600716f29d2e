"""Rounds ties up in the symmetric form, and to even in the other."""

EXPECTED = {"loses": ["ties"], "rung": "numerics", "shows": "half-up"}
BASE = "valid_plain"
EDITS = [
    ("    codes = np.rint(x / scale) + zero", "    codes = (np.floor(x / scale + 0.5) if symmetric else np.rint(x / scale)) + zero"),
]
