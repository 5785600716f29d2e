"""Counts a scalar as nothing."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "scalars counted as nothing", "shows": "skips-scalars"}
BASE = "valid_plain"
EDITS = [
    (
        '"parameters": sum(prod(tensor.dims) for tensor in tensors),',
        '"parameters": sum(prod(tensor.dims) for tensor in tensors if len(tensor.dims)),',
    ),
]
