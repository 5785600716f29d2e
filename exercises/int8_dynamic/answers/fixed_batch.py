"""Fixes the batch at two sentences before it quantizes."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "fixed-batch"}
BASE = "valid_unsigned"
EDITS = [
    (
        "def quantize_bert(model):",
        """\
def quantize_bert(model):
    new = undescribed(model)
    for value in [*new.graph.input, *new.graph.output]:
        value.type.tensor_type.shape.dim[0].dim_value = 2""",
    ),
    (
        "quantize_dynamic(undescribed(model), path, per_channel=True, weight_type=QuantType.QUInt8)",
        "quantize_dynamic(new, path, per_channel=True)",
    ),
]
