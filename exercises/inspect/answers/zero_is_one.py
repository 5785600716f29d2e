"""Counts a dimension of 0 as 1."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "a dimension of 0 counted as 1", "shows": "zero-is-one"}
BASE = "valid_plain"
EDITS = [("sum(prod(tensor.dims) for tensor in tensors)", "sum(prod(max(dim, 1) for dim in tensor.dims) for tensor in tensors)")]
