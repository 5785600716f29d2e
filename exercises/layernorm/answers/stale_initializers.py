"""Deletes nodes, and leaves scale, bias, epsilon and axes behind."""

EXPECTED = {"score": 0.9, "rung": "quality", "message": "Scale, bias, epsilon and axes stay behind", "shows": "stale-initializers"}
BASE = "valid_ir"
EDITS = [
    (
        "            bypass(x, affine(node.outputs[0], x))",
        """\
            bypass(x, affine(node.outputs[0], x))
    stored = list(copy.graph.initializers.values())""",
    ),
    (
        "    RemoveUnusedNodesPass()(copy)",
        """\
    RemoveUnusedNodesPass()(copy)
    for value in stored:
        copy.graph.initializers[value.name] = value""",
    ),
]
