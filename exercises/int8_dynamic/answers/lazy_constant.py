"""Runs the model once and stores its outputs as constants."""

EXPECTED = {
    "loses": "everything",
    "rung": "structure: most",
    "shows": "stores-one-run",
    "lazy": "constant",
}
BASE = "dropout/constant_outputs"
EDITS = [("def remove_dropout", "def quantize_bert"), ("array[:1, :1]", "array")]
