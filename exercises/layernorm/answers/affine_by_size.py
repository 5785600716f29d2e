"""Counts the numbers of scale and bias and does not look at their shape."""

EXPECTED = {"loses": ["affine"], "rung": "structure", "shows": "affine-of-anything"}
BASE = "valid_ir"
EDITS = [
    ("np.shape(other) != (x.shape[-1],)", "np.size(other) != x.shape[-1]"),
]
