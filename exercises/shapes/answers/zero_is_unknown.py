"""Takes a size of 0 for no size."""

EXPECTED = {"score": 0.91, "rung": "structure", "message": "a dimension of size 0 as unknown", "shows": "zero-is-unknown"}
BASE = "valid_plain"
EDITS = [
    (
        'if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk__") for dim in dims):',
        'if any(not (dim.dim_value or dim.dim_param) or dim.dim_param.startswith("unk__") for dim in dims):',
    ),
]
