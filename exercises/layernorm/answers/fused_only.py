"""Looks for the operator alone."""

EXPECTED = {"score": 0.45, "rung": "structure: spelled out", "message": "and all are spelled out", "shows": "fused-only"}
BASE = "valid_ir"
EDITS = [
    (
        """\
        elif is_a(node, "Div") and (x := normalised(node)) is not None:
            bypass(x, affine(node.outputs[0], x))""",
        "",
    ),
]
