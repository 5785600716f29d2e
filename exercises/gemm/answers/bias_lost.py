"""Fuses the pair into a Gemm of two inputs."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "bias-lost"}
BASE = "valid_proto"
EDITS = [
    ("product, bias = found[0]", "product, _ = found[0]"),
    (
        'graph.node.insert(position, helper.make_node("Gemm", [*matmul.input, bias], add.output))',
        'graph.node.insert(position, helper.make_node("Gemm", matmul.input, add.output))',
    ),
]
