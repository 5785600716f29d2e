"""Leaves out initializers of texts."""

EXPECTED = {"loses": ["types"], "rung": "numerics", "shows": "skips-texts"}
BASE = "valid_plain"
EDITS = [
    (
        "prod(tensor.dims) for tensor in tensors)",
        "prod(tensor.dims) for tensor in tensors if tensor.data_type != TensorProto.STRING)",
    ),
]
