"""Rounds the bias to whole numbers."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "bias-in-numbers"}
BASE = "valid_plain"
EDITS = [("bias / step", "bias")]
