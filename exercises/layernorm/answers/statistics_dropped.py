"""Deletes every LayerNormalization, whatever else is read of it."""

EXPECTED = {"loses": ["inner-values"], "rung": "loads", "shows": "statistics-dropped"}
BASE = "valid_ir"
EDITS = [
    (
        "            bypass(node.inputs[0], node.outputs[0])",
        """\
            bypass(node.inputs[0], node.outputs[0])
            node.graph.remove(node)""",
    ),
]
