"""Calls a shape named as soon as one dimension has a name."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "any-name"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk__") for dim in dims):
        return "unknown"
    return "named" if any(dim.dim_param for dim in dims) else "static"
""",
        """\
    if any(dim.dim_param and not dim.dim_param.startswith("unk__") for dim in dims):
        return "named"
    return "static" if all(dim.HasField("dim_value") for dim in dims) else "unknown"
""",
    ),
]
