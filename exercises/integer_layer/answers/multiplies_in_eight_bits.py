"""Subtracts in eight bits."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "multiplies-in-eight-bits"}
BASE = "valid_plain"
EDITS = [("x.astype(np.int32) - np.int32(x_zero)", "(x - x_zero).astype(np.int32)")]
