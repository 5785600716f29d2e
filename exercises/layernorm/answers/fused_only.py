"""Looks for the operator alone."""

EXPECTED = {"score": 0.625, "rung": "structure", "message": "and all are spelt out", "shows": "fused-only"}
BASE = "valid_ir"
EDITS = [
    (
        """\
        elif node.op_type == "Div" and (x := normalised(node)) is not None:
            bypass(x, affine(node.outputs[0], x))""",
        "",
    ),
]
