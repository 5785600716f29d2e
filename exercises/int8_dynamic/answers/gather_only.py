"""Quantizes the embedding tables alone."""

EXPECTED = {"loses": "everything", "rung": "structure: most", "shows": "gather-only"}
BASE = "valid_unsigned"
EDITS = [
    (
        "quantize_dynamic(undescribed(model), path, per_channel=True, weight_type=QuantType.QUInt8)",
        'quantize_dynamic(undescribed(model), path, per_channel=True, op_types_to_quantize=["Gather"])',
    ),
]
