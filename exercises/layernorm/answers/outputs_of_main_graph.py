"""Takes a Mul for the scale although the quotient is an output of the branch too."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "quotient-is-read"}
BASE = "valid_ir"
EDITS = [
    ("bypass(x, affine(node.outputs[0], x))", "bypass(x, affine(node.outputs[0], x, copy.graph.outputs))"),
    ("def affine(result, x):", "def affine(result, x, outputs):"),
    ("or result.is_graph_output():\n            break", "or result in outputs:\n            break"),
]
