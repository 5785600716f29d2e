"""Takes the number of initializers for the number of parameters."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "counts-tensors"}
BASE = "valid_plain"
EDITS = [
    ("from math import prod", ""),
    ('"parameters": sum(prod(tensor.dims) for tensor in tensors),', '"parameters": len(tensors),'),
]
