"""Rounds up as onnx's shape inference does, and keeps the window in the padding."""

EXPECTED = {"score": 0.829, "rung": "numerics", "message": "windows that start in the padding at the end", "shows": "ceil-as-inferred"}
BASE = "valid_plain"
EDITS = [
    (
        """    if ceil_mode and steps * stride >= size + padding[0]:
        steps -= 1""",
        "",
    ),
]
