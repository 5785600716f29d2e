"""Knows one axis only."""

EXPECTED = {"loses": ["axes"], "rung": "structure", "shows": "last-axis-only"}
BASE = "valid_ir"
EDITS = [
    (
        "return sub.inputs[0] if axes(mean) == list(range(-len(axes(mean)), 0)) else None",
        "return sub.inputs[0] if axes(mean) == [-1] else None",
    ),
]
