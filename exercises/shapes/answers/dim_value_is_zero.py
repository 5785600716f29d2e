"""Asks whether dim_value is 0."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "every dimension without a number as unknown", "shows": "dim-value-is-zero"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    dims = value.type.tensor_type.shape.dim
    if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk__") for dim in dims):
        return "unknown"
    return "named" if any(dim.dim_param for dim in dims) else "static"
""",
        """\
    return "static" if all(dim.dim_value > 0 for dim in value.type.tensor_type.shape.dim) else "unknown"
""",
    ),
]
