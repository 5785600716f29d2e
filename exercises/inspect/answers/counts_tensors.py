"""Takes the number of initializers for the number of parameters."""

EXPECTED = {"score": 0.4, "rung": "numerics", "message": "the number of initializers", "shows": "counts-tensors"}
BASE = "valid_plain"
EDITS = [
    ("from math import prod", ""),
    ('"parameters": sum(prod(tensor.dims) for tensor in tensors),', '"parameters": len(tensors),'),
]
