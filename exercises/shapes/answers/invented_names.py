"""Takes unk__0 for a name."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "names that inference made up", "shows": "invented-names"}
BASE = "valid_plain"
EDITS = [
    (
        'if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk__") for dim in dims):',
        'if any(dim.WhichOneof("value") is None for dim in dims):',
    ),
]
