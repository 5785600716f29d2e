"""Counts tensors."""

EXPECTED = {"loses": ["entries"], "rung": "quality: entries", "shows": "counts-tensors"}
BASE = "valid_static"
EDITS = [
    ("elements[tensor.dtype.name] += tensor.size", "elements[tensor.dtype.name] += 1"),
]
