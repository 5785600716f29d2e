"""Counts at least one element in each tensor."""

EXPECTED = {"loses": ["plain", "whole-numbers"], "rung": "numerics", "shows": "empty-is-one"}
BASE = "valid_plain"
EDITS = [("sum(prod(tensor.dims) for tensor in tensors)", "sum(prod(tensor.dims) or 1 for tensor in tensors)")]
