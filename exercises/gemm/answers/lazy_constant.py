"""Runs the model once and stores its outputs as constants."""

EXPECTED = {
    "score": 0.0,
    "rung": "type",
    "message": "The code asks for a position that the sequence does not have",
    "lazy": "constant",
    "shows": "raises-index-error",
}
BASE = "dropout/constant_outputs"
EDITS = [("def remove_dropout", "def fuse_matmul_add")]
