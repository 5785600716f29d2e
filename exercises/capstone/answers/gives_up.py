"""Finds that no budget can be met."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "None, and there is one", "shows": "gives-up"}
BASE = "valid_static"
EDITS = [
    ("chosen = choose(entries, budget)", "chosen = None"),
]
