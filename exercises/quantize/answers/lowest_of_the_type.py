"""Clips to the limits of int8."""

EXPECTED = {"score": 0.8875, "rung": "numerics", "message": "end at -127", "shows": "lowest-of-the-type"}
BASE = "valid_plain"
EDITS = [("-127 if symmetric else 0", "np.iinfo(kind).min")]
