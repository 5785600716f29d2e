"""Deletes every LayerNormalization, whatever else is read of it."""

EXPECTED = {"score": 0.7, "rung": "loads", "message": "is still read", "shows": "statistics-dropped"}
BASE = "valid_ir"
EDITS = [
    (
        "            bypass(node.inputs[0], node.outputs[0])",
        """\
            bypass(node.inputs[0], node.outputs[0])
            node.graph.remove(node)""",
    ),
]
