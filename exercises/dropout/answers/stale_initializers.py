"""Removes the Dropouts and leaves what only they read: ratio and training_mode."""

EXPECTED = {"loses": ["left-over"], "rung": "quality: initializers", "shows": "stale-initializers"}
BASE = "valid_ir"
EDITS = [
    (
        """\
from onnx_ir.passes.common import RemoveUnusedNodesPass
""",
        "",
    ),
    (
        """\
    RemoveUnusedNodesPass()(copy)
    tidy_inside(copy)
""",
        "",
    ),
    (
        """\
    \"""A new node writes what the Dropout wrote, under the same name.\"""
""",
        "",
    ),
]
