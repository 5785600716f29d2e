"""Runs the model once and stores its outputs as constants."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "unchanged", "lazy": "constant"}
BASE = "dropout/constant_outputs"
EDITS = [
    ("def remove_dropout", "def to_fp16"),
    ("array[:1, :1]", "array"),
]
