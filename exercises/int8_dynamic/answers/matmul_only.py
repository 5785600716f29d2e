"""Quantizes the products and leaves the embedding tables as they are."""

EXPECTED = {"loses": ["size"], "rung": "quality: size", "shows": "matmul-only"}
BASE = "valid_unsigned"
EDITS = [
    (
        "quantize_dynamic(undescribed(model), path, per_channel=True, weight_type=QuantType.QUInt8)",
        'quantize_dynamic(undescribed(model), path, per_channel=True, op_types_to_quantize=["MatMul"])',
    ),
]
