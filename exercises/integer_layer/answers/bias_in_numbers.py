"""Rounds the bias to whole numbers."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "Divide the bias by that size", "shows": "bias-in-numbers"}
BASE = "valid_plain"
EDITS = [("bias / step", "bias")]
