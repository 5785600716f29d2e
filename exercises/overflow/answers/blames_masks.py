"""Takes the infinities of a Constant or an initializer for overflows."""

EXPECTED = {"loses": ["none"], "rung": "structure", "shows": "blames-masks"}
BASE = "valid_plain"
EDITS = [
    ("found = []", "found = [tensor.name for tensor in model.graph.initializer if not np.isfinite(numpy_helper.to_array(tensor)).all()]"),
    (
        'if node.op_type != "Constant" and all(np.isfinite(values[name]).all() for name in node.input if name):',
        "if all(np.isfinite(values[name]).all() for name in node.input if name):",
    ),
]
