"""Runs the model once and stores its outputs as constants."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "in-floats", "lazy": "constant"}
BASE = "dropout/constant_outputs"
EDITS = [("def remove_dropout", "def without_saturation"), ("array[:1, :1]", "array")]
