"""Returns the names of nodes."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "names-nodes"}
BASE = "valid_plain"
EDITS = [
    (
        "found += [name for name in node.output if not np.isfinite(values[name]).all()]",
        "found += [node.name or node.op_type for name in node.output if not np.isfinite(values[name]).all()]",
    ),
]
