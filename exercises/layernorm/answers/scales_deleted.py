"""Deletes the scale and the bias of a LayerNorm that is spelled out, whoever else reads them."""

EXPECTED = {"loses": ["spelt-out", "left-over"], "rung": "loads", "shows": "inner-nodes-deleted"}
BASE = "valid_ir"
EDITS = [
    (
        "            bypass(x, affine(node.outputs[0], x))",
        """\
            owned = []
            bypass(x, affine(node.outputs[0], x, owned))
            for value in owned:
                copy.graph.initializers.pop(value.name, None)""",
    ),
    ("def affine(result, x):", "def affine(result, x, owned):"),
    (
        "        result = node.outputs[0]\n",
        """\
        owned.append(node.inputs[1 - position])
        result = node.outputs[0]
""",
    ),
]
