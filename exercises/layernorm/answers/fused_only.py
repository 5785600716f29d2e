"""Looks for the operator alone."""

EXPECTED = {
    "loses": ["spelt-out", "numbers", "series", "outputs", "inner-values", "inside", "affine", "relatives", "axes", "left-over", "argument"],
    "rung": "structure",
    "shows": "fused-only",
}
BASE = "valid_ir"
EDITS = [
    (
        """\
        elif is_a(node, "Div") and (x := normalised(node)) is not None:
            bypass(x, affine(node.outputs[0], x))""",
        "",
    ),
]
