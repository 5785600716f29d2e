"""Leaves the pooler's Gemm in float."""

EXPECTED = {"score": 0.5, "rung": "structure", "message": "1 of 7 products with weights are left in float", "shows": "first-product-only"}
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
