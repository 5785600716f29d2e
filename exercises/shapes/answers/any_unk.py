"""Takes every name that begins with unk for an invented one."""

EXPECTED = {"loses": ["names"], "rung": "structure", "shows": "any-unk"}
BASE = "valid_plain"
EDITS = [
    (
        'if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk__") for dim in dims):',
        'if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk") for dim in dims):',
    ),
]
