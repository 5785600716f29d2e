"""Asks whether dim_value is 0."""

EXPECTED = {
    "loses": ["usual-shapes", "names", "no-dimensions", "declarations", "values", "graphs", "tidy"],
    "rung": "structure",
    "shows": "dim-value-is-zero",
}
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
