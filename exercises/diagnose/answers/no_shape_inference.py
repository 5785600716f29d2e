"""Leaves shape inference out; what a session refuses has no kernel."""

EXPECTED = {"score": 0.675, "rung": "loads", "message": "has a row too many", "shows": "shapes-not-inferred"}
BASE = "valid_plain"
EDITS = [
    (
        """    if refusal(shape_inference.infer_shapes, model, **STRICT):
        return by_shapes(model)""",
        "",
    ),
]
