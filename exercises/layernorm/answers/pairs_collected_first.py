"""Looks for all LayerNorms first, and rewires their readers afterwards."""

EXPECTED = {"loses": ["series", "argument"], "rung": "structure", "shows": "series-not-followed"}
BASE = "valid_ir"
EDITS = [
    (
        """\
    for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):
""",
        """\
    pairs = []
    for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):
""",
    ),
    ("            bypass(node.inputs[0], node.outputs[0])", "            pairs.append((node.inputs[0], node.outputs[0]))"),
    (
        "            bypass(x, affine(node.outputs[0], x))",
        """\
            pairs.append((x, affine(node.outputs[0], x)))
    for x, result in pairs:
        bypass(x, result)""",
    ),
]
