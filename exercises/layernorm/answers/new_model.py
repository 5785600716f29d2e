"""Rewires, and wraps the nodes with helper.make_model, which takes the newest versions."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "newest-versions"}
BASE = "valid_ir"
EDITS = [
    ("return ir.to_proto(copy)", "return onnx.helper.make_model(ir.to_proto(copy).graph)"),
]
