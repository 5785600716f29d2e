"""Adds the bias as a float."""

EXPECTED = {"score": 0.55, "rung": "numerics", "message": "round it to whole steps", "shows": "bias-not-rounded"}
BASE = "valid_plain"
EDITS = [("np.rint(bias / step).astype(np.int64)", "bias.astype(float) / step")]
