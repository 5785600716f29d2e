"""Adds the bias as a float."""

EXPECTED = {"loses": ["small-codes", "ties"], "rung": "numerics", "shows": "bias-not-rounded"}
BASE = "valid_plain"
EDITS = [("np.rint(bias / step).astype(np.int64)", "bias.astype(float) / step")]
