"""Puts the Gemm where the MatMul stood."""

EXPECTED = {"score": 0.7, "rung": "loads", "message": "Put it where the Add stood", "shows": "at-the-matmul"}
BASE = "valid_proto"
EDITS = [
    ('graph.node.insert(position, helper.make_node("Gemm", [*matmul.input, bias], add.output))', "result = add.output[0]"),
    ("graph.node.remove(matmul)", 'matmul.CopyFrom(helper.make_node("Gemm", [*matmul.input, bias], [result]))'),
]
