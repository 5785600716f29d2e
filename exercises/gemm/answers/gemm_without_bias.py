"""Turns the MatMul into a Gemm of two inputs and keeps the Add."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "gemm-without-bias"}
BASE = "valid_proto"
EDITS = [
    ("product, bias = found[0]", "product, _ = found[0]"),
    (
        """\
            graph.node.insert(position, helper.make_node("Gemm", [*matmul.input, bias], add.output))
            graph.node.remove(add)
            graph.node.remove(matmul)""",
        '            matmul.op_type = "Gemm"',
    ),
]
