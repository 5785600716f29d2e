"""Rounds ties up in the symmetric form, and to even in the other."""

EXPECTED = {"score": 0.9437, "rung": "numerics", "message": "rounds every tie up", "shows": "half-up"}
BASE = "valid_plain"
EDITS = [
    ("    codes = np.rint(x / scale) + zero", "    codes = (np.floor(x / scale + 0.5) if symmetric else np.rint(x / scale)) + zero"),
]
