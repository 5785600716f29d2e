"""Counts a dimension of 0 as 1."""

EXPECTED = {"loses": ["plain", "whole-numbers"], "rung": "numerics", "shows": "zero-is-one"}
BASE = "valid_plain"
EDITS = [("sum(prod(tensor.dims) for tensor in tensors)", "sum(prod(max(dim, 1) for dim in tensor.dims) for tensor in tensors)")]
