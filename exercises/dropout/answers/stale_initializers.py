"""Removes the Dropouts and leaves what only they read: ratio and training_mode."""

EXPECTED = {"score": 0.95, "rung": "quality", "message": "no initializer that nothing reads", "shows": "stale-initializers"}
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
