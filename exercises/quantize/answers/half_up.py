"""Ties go up."""

EXPECTED = {"score": 0.719, "rung": "numerics", "message": "rounds every tie up", "shows": "half-up"}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.floor(x / scale + np.float32(0.5)) + zero")]
