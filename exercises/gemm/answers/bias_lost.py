"""Fuses the pair into a Gemm of two inputs."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "missing: Neg (1), Tanh (1)", "shows": "more-than-pairs"}
BASE = "valid_proto"
EDITS = [
    ("product, bias = found[0]", "product, _ = found[0]"),
    (
        'graph.node.insert(position, helper.make_node("Gemm", [*matmul.input, bias], add.output))',
        'graph.node.insert(position, helper.make_node("Gemm", matmul.input, add.output))',
    ),
]
