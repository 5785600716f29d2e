"""Counts a scalar as nothing."""

EXPECTED = {"loses": ["plain", "whole-numbers"], "rung": "numerics", "shows": "skips-scalars"}
BASE = "valid_plain"
EDITS = [
    (
        '"parameters": sum(prod(tensor.dims) for tensor in tensors),',
        '"parameters": sum(prod(tensor.dims) for tensor in tensors if len(tensor.dims)),',
    ),
]
