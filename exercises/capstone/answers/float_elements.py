"""Counts the elements of floats alone."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "For each dtype, the elements", "shows": "float-elements"}
BASE = "valid_static"
EDITS = [
    ("elements[tensor.dtype.name] += tensor.size", 'elements[tensor.dtype.name] += tensor.size if tensor.dtype.kind == "f" else 0'),
]
