"""Right edits, new nodes at the end of the list, and no toposort."""

EXPECTED = {"loses": ["masks"], "rung": "loads", "shows": "out-of-order"}
BASE = "valid_surgeon"
EDITS = [
    (
        "return gs.export_onnx(root.cleanup(recurse_subgraphs=True).toposort())",
        "return gs.export_onnx(root.cleanup(recurse_subgraphs=True))",
    ),
]
