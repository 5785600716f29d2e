"""Removes the inputs of the graph that nothing reads any more."""

EXPECTED = {"score": 0.6, "rung": "contract", "message": "2 inputs instead of 4", "shows": "another-number"}
BASE = "valid_surgeon"
EDITS = [
    (
        "    return gs.export_onnx(root.cleanup(recurse_subgraphs=True).toposort())",
        """\
    root.cleanup(recurse_subgraphs=True).toposort()
    root.inputs = [tensor for tensor in root.inputs if tensor.outputs]
    return gs.export_onnx(root)""",
    ),
]
