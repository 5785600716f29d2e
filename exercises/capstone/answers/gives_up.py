"""Finds that no budget can be met."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "None, and there is one"}
BASE = "valid_static"
EDITS = [
    ("chosen = choose(entries, budget)", "chosen = None"),
]
