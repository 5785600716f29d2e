"""Right edits, new nodes at the end of the list, and no toposort."""

EXPECTED = {"score": 0.7, "rung": "loads", "message": "which is written further down", "shows": "out-of-order"}
BASE = "valid_surgeon"
EDITS = [
    (
        "return gs.export_onnx(root.cleanup(recurse_subgraphs=True).toposort())",
        "return gs.export_onnx(root.cleanup(recurse_subgraphs=True))",
    ),
]
