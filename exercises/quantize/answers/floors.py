"""The floor of each quotient."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "half a step too low", "shows": "floors"}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.floor(x / scale) + zero")]
