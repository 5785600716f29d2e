"""Leaves shape inference out; what a session refuses has no kernel."""

EXPECTED = {"loses": ["shapes", "tidy"], "rung": "loads", "shows": "shapes-not-inferred"}
BASE = "valid_plain"
EDITS = [
    (
        """    if refusal(shape_inference.infer_shapes, model, **STRICT):
        return by_shapes(model)""",
        "",
    ),
]
