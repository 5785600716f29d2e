"""Lets the readers read the centred value: only the division goes."""

EXPECTED = {
    "loses": ["spelt-out", "numbers", "series", "outputs", "inner-values", "inside", "affine", "relatives", "axes", "left-over", "argument"],
    "rung": "structure",
    "shows": "inner-value-taken",
}
BASE = "valid_ir"
EDITS = [
    (
        "return sub.inputs[0] if axes(mean) == list(range(-len(axes(mean)), 0)) else None",
        "return sub.outputs[0] if axes(mean) == list(range(-len(axes(mean)), 0)) else None",
    ),
]
