"""The code of 0 for what is infinite."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "the code of 0", "shows": "infinite-left-at-zero"}
BASE = "valid_plain"
EDITS = [("np.rint(x / scale) + zero", "np.where(np.isfinite(x), np.rint(x / scale), 0) + zero")]
