"""Expects the scale as the second input of the Mul, and the bias as that of the Add."""

EXPECTED = {"score": 0.45, "rung": "structure: spelled out", "message": "Scale and bias belong to the LayerNorm", "shows": "affine-left"}
BASE = "valid_ir"
EDITS = [
    (
        """\
        [(node, position)] = result.uses()
        if node.graph is not result.producer().graph:
            break
        other = constant(node.inputs[1 - position]) if is_a(node, operator) else None""",
        """\
        [(node, _)] = result.uses()
        if node.graph is not result.producer().graph:
            break
        other = constant(node.inputs[1]) if is_a(node, operator) else None""",
    ),
]
