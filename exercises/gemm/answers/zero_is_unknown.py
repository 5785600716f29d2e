"""Takes a dimension of 0 for one that is not known."""

EXPECTED = {"loses": ["bias-shapes"], "rung": "structure", "shows": "zero-is-unknown"}
BASE = "valid_proto"
EDITS = [
    ('dim.dim_param or (dim.dim_value if dim.HasField("dim_value") else object())', 'dim.dim_param or dim.dim_value or object()'),
]
