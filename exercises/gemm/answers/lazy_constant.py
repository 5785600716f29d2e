"""Runs the model once and stores its outputs as constants."""

EXPECTED = {
    "score": 0.0,
    "rung": "type",
    "message": "An entry is taken by its position from a list that is shorter here",
    "lazy": "constant",
    "shows": "raises-index-error",
}
BASE = "dropout/constant_outputs"
EDITS = [("def remove_dropout", "def fuse_matmul_add")]
