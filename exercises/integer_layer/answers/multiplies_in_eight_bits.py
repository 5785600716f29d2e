"""Subtracts in eight bits."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "it wraps", "shows": "multiplies-in-eight-bits"}
BASE = "valid_plain"
EDITS = [("x.astype(np.int32) - np.int32(x_zero)", "(x - x_zero).astype(np.int32)")]
