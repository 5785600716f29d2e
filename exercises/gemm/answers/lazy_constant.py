"""Runs the model once and stores its outputs as constants."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "never-checked", "lazy": "constant"}
BASE = "dropout/constant_outputs"
EDITS = [("def remove_dropout", "def fuse_matmul_add")]
