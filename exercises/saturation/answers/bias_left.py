"""Leaves the bias and its scale alone."""

EXPECTED = {"loses": ["bias-scale"], "rung": "quality: the kernel", "shows": "bias-left"}
BASE = "valid_halves"
EDITS = [
    (
        "node.input[1:]]",
        "node.input[1:2]]",
    ),
]
