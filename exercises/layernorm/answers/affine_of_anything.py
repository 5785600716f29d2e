"""Takes every Mul and Add behind the Div for scale and bias."""

EXPECTED = {"loses": ["affine", "axes", "relatives"], "rung": "structure", "shows": "affine-of-anything"}
BASE = "valid_ir"
EDITS = [
    ("bypass(x, affine(node.outputs[0], x))", "bypass(x, affine(node.outputs[0]))"),
    ("def affine(result, x):", "def affine(result):"),
    (
        """\
        [(node, position)] = result.uses()
        if node.graph is not result.producer().graph:
            break
        other = constant(node.inputs[1 - position]) if is_a(node, operator) else None
        if other is None or np.shape(other) != (x.shape[-1],):""",
        """\
        [(node, _)] = result.uses()
        if node.graph is not result.producer().graph:
            break
        if node.op_type != operator:""",
    ),
]
