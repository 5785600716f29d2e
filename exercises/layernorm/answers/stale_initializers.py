"""Deletes nodes, and leaves scale, bias, epsilon and axes behind."""

EXPECTED = {"loses": ["left-over"], "rung": "quality: initializers", "shows": "stale-initializers"}
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
