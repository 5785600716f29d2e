"""Rounds up as onnx's shape inference does, and keeps the window in the padding."""

EXPECTED = {"loses": ["ceil", "all-arguments"], "rung": "numerics", "shows": "ceil-as-inferred"}
BASE = "valid_plain"
EDITS = [
    (
        """    if ceil_mode and steps * stride >= size + padding[0]:
        steps -= 1""",
        "",
    ),
]
