"""A node that computes in float32 writes an output, with a Cast between that leaves the type as it is."""

EXPECTED = {"loses": ["border"], "rung": "quality: borders", "shows": "bare-border"}
BASE = "valid_new_names"
EDITS = [
    ("if wide and name in floats:\n                raw", "if wide and name in floats & read:\n                raw"),
]
