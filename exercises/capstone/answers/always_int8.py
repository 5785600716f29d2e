"""Always chooses the smallest file."""

EXPECTED = {"loses": ["choice", "impossible"], "rung": "quality: choice", "shows": "always-int8"}
BASE = "valid_static"
EDITS = [
    ("chosen = choose(entries, budget)", 'chosen = "int8.onnx"'),
]
