"""Leaves out initializers that are graph inputs too."""

EXPECTED = {"loses": ["defaults"], "rung": "numerics", "shows": "skips-inputs"}
BASE = "valid_plain"
EDITS = [
    (
        '"parameters": sum(prod(tensor.dims) for tensor in tensors),',
        '"parameters": sum(prod(tensor.dims) for tensor in tensors if tensor.name not in [value.name for value in model.graph.input]),',
    ),
]
