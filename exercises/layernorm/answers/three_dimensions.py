"""Takes axis 2 for the last one, whatever x is."""

EXPECTED = {"loses": ["axes"], "rung": "structure", "shows": "spelt-one-way"}
BASE = "valid_ir"
EDITS = [
    ("rank = len(mean.inputs[0].shape)", "rank = 3"),
]
