"""Always chooses the most exact file."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "too large", "shows": "too-large"}
BASE = "valid_static"
EDITS = [
    ("chosen = choose(entries, budget)", 'chosen = "fp32.onnx"'),
]
