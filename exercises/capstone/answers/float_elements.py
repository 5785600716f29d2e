"""Counts the elements of floats alone."""

EXPECTED = {"loses": ["entries"], "rung": "quality: entries", "shows": "float-elements"}
BASE = "valid_static"
EDITS = [
    ("elements[tensor.dtype.name] += tensor.size", 'elements[tensor.dtype.name] += tensor.size if tensor.dtype.kind == "f" else 0'),
]
