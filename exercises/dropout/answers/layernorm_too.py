"""Removes LayerNormalization along with Dropout: the condition matches both."""

EXPECTED = {"loses": ["bert"], "rung": "structure", "shows": "more-than-dropouts"}
BASE = "valid_ir"
EDITS = [
    (
        """\
        if node.op_type == "Dropout" and not node.domain:
""",
        """\
        if node.op_type in ("Dropout", "LayerNormalization") and not node.domain:
""",
    ),
    (
        """\
    \"""A new node writes what the Dropout wrote, under the same name.\"""
""",
        "",
    ),
]
