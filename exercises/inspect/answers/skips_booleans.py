"""Leaves out initializers of booleans."""

EXPECTED = {"loses": ["types"], "rung": "numerics", "shows": "skips-booleans"}
BASE = "valid_plain"
EDITS = [
    (
        "prod(tensor.dims) for tensor in tensors)",
        "prod(tensor.dims) for tensor in tensors if tensor.data_type != TensorProto.BOOL)",
    ),
]
