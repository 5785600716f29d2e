"""Leaves the bias and its scale alone."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "takes the product of the other", "shows": "bias-left"}
BASE = "valid_halves"
EDITS = [
    (
        "node.input[1:]]",
        "node.input[1:2]]",
    ),
]
