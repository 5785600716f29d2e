"""Lets the readers read the centred value: only the division goes."""

EXPECTED = {"score": 0.45, "rung": "structure: spelled out", "message": "not an inner value", "shows": "inner-value-taken"}
BASE = "valid_ir"
EDITS = [
    (
        "return sub.inputs[0] if axes(mean) == list(range(-len(axes(mean)), 0)) else None",
        "return sub.outputs[0] if axes(mean) == list(range(-len(axes(mean)), 0)) else None",
    ),
]
