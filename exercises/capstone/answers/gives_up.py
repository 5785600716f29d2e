"""Finds that no budget can be met."""

EXPECTED = {"loses": ["choice", "impossible"], "rung": "quality: choice", "shows": "gives-up"}
BASE = "valid_static"
EDITS = [
    ("chosen = choose(entries, budget)", "chosen = None"),
]
