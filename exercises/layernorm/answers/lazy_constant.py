"""Runs the model once and stores its outputs as constants."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "stores-one-run", "lazy": "constant"}
BASE = "dropout/constant_outputs"
EDITS = [("def remove_dropout", "def remove_layernorm"), ("array[:1, :1]", "array")]
