"""Counts at least one element in each tensor."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "without elements counted as one", "shows": "empty-is-one"}
BASE = "valid_plain"
EDITS = [("sum(prod(tensor.dims) for tensor in tensors)", "sum(prod(tensor.dims) or 1 for tensor in tensors)")]
