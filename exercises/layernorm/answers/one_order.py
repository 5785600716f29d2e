"""Expects the scale as the second input of the Mul, and the bias as that of the Add."""

EXPECTED = {"loses": ["spelt-out", "left-over"], "rung": "structure", "shows": "affine-left"}
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
