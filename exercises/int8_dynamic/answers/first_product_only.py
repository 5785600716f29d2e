"""Quantizes the first product alone."""

EXPECTED = {"loses": "everything", "rung": "structure: most", "shows": "first-product-only"}
BASE = "valid_unsigned"
EDITS = [
    (
        "def quantize_bert(model):",
        """\
def quantize_bert(model):
    new = undescribed(model)
    for number, node in enumerate(new.graph.node):
        node.name = f"{node.op_type}_{number}"
    products = [node.name for node in new.graph.node if node.op_type in ("MatMul", "Gemm")]""",
    ),
    (
        "quantize_dynamic(undescribed(model), path, per_channel=True, weight_type=QuantType.QUInt8)",
        "quantize_dynamic(new, path, per_channel=True, nodes_to_exclude=products[1:])",
    ),
]
