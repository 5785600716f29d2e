"""Divides the bias by the output's scale."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "joins the sum", "shows": "bias-in-output-steps"}
BASE = "valid_plain"
EDITS = [("bias / step", "bias / y_scale")]
