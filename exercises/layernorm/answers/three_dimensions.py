"""Takes axis 2 for the last one, whatever x is."""

EXPECTED = {"score": 0.8, "rung": "structure: left alone", "message": "all spelled out", "shows": "spelt-one-way"}
BASE = "valid_ir"
EDITS = [
    ("rank = len(mean.inputs[0].shape)", "rank = 3"),
]
