"""Deletes all nodes of a LayerNorm, whoever reads them."""

EXPECTED = {"loses": ["inner-values"], "rung": "loads", "shows": "inner-nodes-deleted"}
BASE = "valid_ir"
EDITS = [
    (
        '        elif is_a(node, "Div") and (x := normalised(node)) is not None:',
        """\
        elif is_a(node, "Div") and (x := normalised(node)) is not None:
            mean = node.inputs[0].producer().inputs[1].producer()
            centred = node.inputs[0].producer()""",
    ),
    (
        "            bypass(x, affine(node.outputs[0], x))",
        """\
            bypass(x, affine(node.outputs[0], x))
            for part in (mean, centred):
                part.graph.remove(part)
                for position in range(len(part.inputs)):
                    part.replace_input_with(position, None)""",
    ),
]
