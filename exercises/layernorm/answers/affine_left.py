"""Takes the Div for the end of a LayerNorm and leaves scale and bias."""

EXPECTED = {
    "loses": ["spelt-out", "numbers", "outputs", "inner-values", "inside", "affine", "left-over"],
    "rung": "structure",
    "shows": "affine-left",
}
BASE = "valid_ir"
EDITS = [
    (
        """\
import numpy as np
""",
        "",
    ),
    (
        """\
            bypass(x, affine(node.outputs[0], x))
""",
        """\
            bypass(x, node.outputs[0])
""",
    ),
    (
        """\
def affine(result, x):
    for operator in ("Mul", "Add"):
        if len(result.uses()) != 1 or result.is_graph_output():
            break
        [(node, position)] = result.uses()
        if node.graph is not result.producer().graph:
            break
        other = constant(node.inputs[1 - position]) if is_a(node, operator) else None
        if other is None or np.shape(other) != (x.shape[-1],):
            break
        result = node.outputs[0]
    return result


""",
        "",
    ),
]
