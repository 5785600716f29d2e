"""The multiplier upside down."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "divide by the second", "shows": "upside-down"}
BASE = "valid_plain"
EDITS = [("(step / y_scale)", "(y_scale / step)")]
