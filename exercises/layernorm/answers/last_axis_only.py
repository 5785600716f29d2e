"""Knows one axis only."""

EXPECTED = {"score": 0.8, "rung": "structure: left alone", "message": "more than the last one", "shows": "last-axis-only"}
BASE = "valid_ir"
EDITS = [
    (
        "return sub.inputs[0] if axes(mean) == list(range(-len(axes(mean)), 0)) else None",
        "return sub.inputs[0] if axes(mean) == [-1] else None",
    ),
]
