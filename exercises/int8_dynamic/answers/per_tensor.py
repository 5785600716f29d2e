"""One scale for a whole weight: the default of quantize_dynamic."""

EXPECTED = {"loses": ["agreement"], "rung": "quality", "shows": "per-tensor"}
BASE = "valid_unsigned"
EDITS = [
    (
        "quantize_dynamic(undescribed(model), path, per_channel=True, weight_type=QuantType.QUInt8)",
        "quantize_dynamic(undescribed(model), path)",
    ),
]
