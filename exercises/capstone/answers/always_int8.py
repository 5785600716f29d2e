"""Always chooses the smallest file."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "smaller than it has to be", "shows": "always-int8"}
BASE = "valid_static"
EDITS = [
    ("chosen = choose(entries, budget)", 'chosen = "int8.onnx"'),
]
