"""Counts the numbers of scale and bias and does not look at their shape."""

EXPECTED = {"score": 0.8, "rung": "structure: left alone", "message": "a constant of shape [width]", "shows": "affine-of-anything"}
BASE = "valid_ir"
EDITS = [
    ("np.shape(other) != (x.shape[-1],)", "np.size(other) != x.shape[-1]"),
]
