"""Takes every name that begins with unk for an invented one."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "names that a person gave", "shows": "any-unk"}
BASE = "valid_plain"
EDITS = [
    (
        'if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk__") for dim in dims):',
        'if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk") for dim in dims):',
    ),
]
