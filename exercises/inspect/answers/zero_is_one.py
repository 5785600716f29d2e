"""Counts a dimension of 0 as 1."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "a dimension of zero counted as one", "shows": "zero-is-one"}
BASE = "valid_plain"
EDITS = [("sum(prod(tensor.dims) for tensor in tensors)", "sum(prod(max(dim, 1) for dim in tensor.dims) for tensor in tensors)")]
