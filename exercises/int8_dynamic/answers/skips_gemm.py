"""Leaves the pooler's Gemm in float."""

EXPECTED = {"loses": ["gemm", "size"], "rung": "structure", "shows": "first-product-only"}
BASE = "valid_unsigned"
EDITS = [
    (
        "def quantize_bert(model):",
        """\
def quantize_bert(model):
    gemms = [f"{node.name}_MatMul" for node in model.graph.node if node.op_type == "Gemm"]""",
    ),
    (
        "quantize_dynamic(undescribed(model), path, per_channel=True, weight_type=QuantType.QUInt8)",
        "quantize_dynamic(undescribed(model), path, per_channel=True, nodes_to_exclude=gemms)",
    ),
]
