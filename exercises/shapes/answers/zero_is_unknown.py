"""Takes a size of 0 for no size."""

EXPECTED = {"loses": ["no-dimensions"], "rung": "structure", "shows": "zero-is-unknown"}
BASE = "valid_plain"
EDITS = [
    (
        'if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk__") for dim in dims):',
        'if any(not (dim.dim_value or dim.dim_param) or dim.dim_param.startswith("unk__") for dim in dims):',
    ),
]
