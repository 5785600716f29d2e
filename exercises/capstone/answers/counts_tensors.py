"""Counts tensors."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "Elements are counted, not tensors", "shows": "counts-tensors"}
BASE = "valid_static"
EDITS = [
    ("elements[tensor.dtype.name] += tensor.size", "elements[tensor.dtype.name] += 1"),
]
