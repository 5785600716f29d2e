"""Makes the mask of a Dropout all False, as if it said what is dropped."""

EXPECTED = {"score": 0.65, "rung": "numerics", "message": "the mask is True everywhere", "shows": "mask-not-true"}
BASE = "valid_ir"
EDITS = [
    (
        """\
                take_over(node.outputs[1], "Equal", [node.inputs[0], node.inputs[0]])
""",
        """\
                take_over(node.outputs[1], "Less", [node.inputs[0], node.inputs[0]])
""",
    ),
    (
        """\
    \"""A new node writes what the Dropout wrote, under the same name.\"""
""",
        "",
    ),
]
