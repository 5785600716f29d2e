"""The first column's scale for all."""

EXPECTED = {
    "loses": ["signed-weights", "small-codes", "unsigned-weights", "signed-codes", "deep", "wide-bias", "arguments"],
    "rung": "numerics", "shows": "one-scale"
}
BASE = "valid_plain"
EDITS = [("x_scale * w_scale", "x_scale * w_scale[0]")]
