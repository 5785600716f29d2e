"""Always chooses the most exact file."""

EXPECTED = {"loses": ["choice", "impossible"], "rung": "quality: choice", "shows": "too-large"}
BASE = "valid_static"
EDITS = [
    ("chosen = choose(entries, budget)", 'chosen = "fp32.onnx"'),
]
