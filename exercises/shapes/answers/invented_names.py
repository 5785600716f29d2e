"""Takes unk__0 for a name."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "invented-names"}
BASE = "valid_plain"
EDITS = [
    (
        'if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk__") for dim in dims):',
        'if any(dim.WhichOneof("value") is None for dim in dims):',
    ),
]
