"""Compares dimensions that nobody knows, which both read as 0."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "equal to nothing", "shows": "unknown-size"}
BASE = "valid_proto"
EDITS = [
    ('dim.dim_param or (dim.dim_value if dim.HasField("dim_value") else object())', 'dim.dim_param or dim.dim_value'),
]
