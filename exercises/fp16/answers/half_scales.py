"""Converts Resize like any other operator, its scales too."""

EXPECTED = {"score": 0.6, "rung": "loads", "message": "a model that onnx.checker accepts", "shows": "never-checked"}
BASE = "valid_lifted"
EDITS = [('not in ("Range", "Resize")', 'not in ("Range",)')]
