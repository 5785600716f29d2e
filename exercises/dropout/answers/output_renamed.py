"""Rewires everything, and lets a graph output take the name of the Dropout's input."""

EXPECTED = {"loses": ["graph-outputs", "series"], "rung": "loads", "shows": "two-outputs-of-one-name"}
BASE = "valid_ir"
EDITS = [
    (
        """\
            if node.outputs[0].is_graph_output():
""",
        """\
            if node.graph is copy.graph:
                if node.outputs[0].is_graph_output():
                    node.inputs[0].type, node.inputs[0].shape = node.outputs[0].type, node.outputs[0].shape
                node.outputs[0].replace_all_uses_with(node.inputs[0], replace_graph_outputs=True)
            elif node.outputs[0].is_graph_output():
""",
    ),
    (
        """\
    \"""A new node writes what the Dropout wrote, under the same name.\"""
""",
        "",
    ),
]
