"""Does not look at the axes."""

EXPECTED = {"loses": ["axes"], "rung": "structure", "shows": "takes-a-relative"}
BASE = "valid_ir"
EDITS = [
    ("return sub.inputs[0] if axes(mean) == list(range(-len(axes(mean)), 0)) else None", "return sub.inputs[0]"),
]
