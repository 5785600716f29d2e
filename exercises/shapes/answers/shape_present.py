"""Counts a shape as known when it is there."""

EXPECTED = {
    "loses": ["usual-shapes", "names", "no-dimensions", "declarations", "values", "graphs", "tidy"],
    "rung": "structure",
    "shows": "shape-present",
}
BASE = "valid_plain"
EDITS = [
    (
        """\
    if value is None or not value.type.tensor_type.HasField("shape"):
        return "missing"
    dims = value.type.tensor_type.shape.dim
    if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk__") for dim in dims):
        return "unknown"
    return "named" if any(dim.dim_param for dim in dims) else "static"
""",
        """\
    return "static" if value is not None and value.type.tensor_type.HasField("shape") else "missing"
""",
    ),
]
