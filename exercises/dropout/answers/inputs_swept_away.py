"""Removes the inputs of the graph that nothing reads any more."""

EXPECTED = {"loses": ["settings"], "rung": "contract", "shows": "another-number"}
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
