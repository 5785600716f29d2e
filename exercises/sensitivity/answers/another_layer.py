"""Tries convolutions alone."""

EXPECTED = {"score": 0.6, "rung": "numerics", "message": "Another choice that fits", "shows": "another-layer"}
BASE = "valid_sets"
EDITS = [
    (
        "names = [node.name for node in model.graph.node if node.op_type in LAYERS]",
        'names = [node.name for node in model.graph.node if node.op_type == "Conv"]',
    ),
]
