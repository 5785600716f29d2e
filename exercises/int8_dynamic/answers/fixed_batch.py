"""Fixes the batch at two sentences before it quantizes."""

EXPECTED = {"score": 0.1, "rung": "contract", "message": "A size that the argument leaves open is fixed", "shows": "fixed-batch"}
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
