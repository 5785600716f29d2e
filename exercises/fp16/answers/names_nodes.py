"""Returns the names of nodes."""

EXPECTED = {"score": 0.75, "rung": "search", "message": "Names of nodes", "shows": "names-nodes"}
BASE = "valid_lifted"
EDITS = [
    (
        "found += [name for name in node.output if not np.isfinite(values[name]).all()]",
        "found += [node.name or node.op_type for name in node.output if not np.isfinite(values[name]).all()]",
    ),
]
