"""The first column's scale for all."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "The first one was used", "shows": "one-scale"}
BASE = "valid_plain"
EDITS = [("x_scale * w_scale", "x_scale * w_scale[0]")]
