"""Reads the axes from the second input of ReduceMean, which came with opset 18."""

EXPECTED = {"loses": ["numbers", "inner-values", "inside", "affine", "relatives", "axes"], "rung": "structure", "shows": "axes-as-inputs-only"}
BASE = "valid_ir"
EDITS = [
    (
        "return sub.inputs[0] if axes(mean) == list(range(-len(axes(mean)), 0)) else None",
        "return sub.inputs[0] if axes(mean) and axes(mean) == list(range(-len(axes(mean)), 0)) else None",
    ),
    (
        'found = mean.attributes["axes"].as_ints() if "axes" in mean.attributes else constant(mean.inputs[1])',
        "found = constant(mean.inputs[1]) if len(mean.inputs) > 1 else []",
    ),
]
