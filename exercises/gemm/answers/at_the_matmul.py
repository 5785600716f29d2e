"""Puts the Gemm where the MatMul stood."""

EXPECTED = {"loses": ["operands", "readers"], "rung": "loads", "shows": "at-the-matmul"}
BASE = "valid_proto"
EDITS = [
    ('graph.node.insert(position, helper.make_node("Gemm", [*matmul.input, bias], add.output))', "result = add.output[0]"),
    ("graph.node.remove(matmul)", 'matmul.CopyFrom(helper.make_node("Gemm", [*matmul.input, bias], [result]))'),
]
