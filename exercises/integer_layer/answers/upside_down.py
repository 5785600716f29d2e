"""The multiplier upside down."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "upside-down"}
BASE = "valid_plain"
EDITS = [("(step / y_scale)", "(y_scale / step)")]
