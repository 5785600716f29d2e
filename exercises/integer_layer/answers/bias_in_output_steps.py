"""Divides the bias by the output's scale."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "bias-in-output-steps"}
BASE = "valid_plain"
EDITS = [("bias / step", "bias / y_scale")]
