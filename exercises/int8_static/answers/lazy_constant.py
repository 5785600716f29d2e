"""Runs the model once and stores its outputs as constants."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "an output that depends on no input", "shows": "stores-one-run", "lazy": "constant"}
BASE = "dropout/constant_outputs"
EDITS = [("def remove_dropout(model)", "def quantize_cnn(model, calibration)"), ("array[:1, :1]", "array")]
