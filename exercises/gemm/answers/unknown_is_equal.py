"""Compares dimensions that nobody knows, which both read as 0."""

EXPECTED = {"loses": ["unknown"], "rung": "structure", "shows": "unknown-size"}
BASE = "valid_proto"
EDITS = [
    ('dim.dim_param or (dim.dim_value if dim.HasField("dim_value") else object())', 'dim.dim_param or dim.dim_value'),
]
