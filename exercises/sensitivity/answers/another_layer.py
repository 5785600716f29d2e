"""Tries convolutions alone."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "another-layer"}
BASE = "valid_sets"
EDITS = [
    (
        "names = [node.name for node in model.graph.node if node.op_type in LAYERS]",
        'names = [node.name for node in model.graph.node if node.op_type == "Conv"]',
    ),
]
