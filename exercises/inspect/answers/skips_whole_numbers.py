"""Leaves out initializers of int64, such as shapes."""

EXPECTED = {"loses": ["types"], "rung": "numerics", "shows": "skips-whole-numbers"}
BASE = "valid_plain"
EDITS = [
    (
        "prod(tensor.dims) for tensor in tensors)",
        "prod(tensor.dims) for tensor in tensors if tensor.data_type != TensorProto.INT64)",
    ),
]
