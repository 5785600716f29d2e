"""Clips to the limits of int8."""

EXPECTED = {"loses": ["symmetric-codes", "zeros", "ties", "argument"], "rung": "numerics", "shows": "lowest-of-the-type"}
BASE = "valid_plain"
EDITS = [("-127 if symmetric else 0", "np.iinfo(kind).min")]
