"""Works the elements out from the bytes, and two int4 share one."""

EXPECTED = {"loses": ["types"], "rung": "numerics", "shows": "elements-of-bytes"}
BASE = "valid_onnx_ir"
EDITS = [
    (
        "sum(prod(tensor.shape) for tensor in tensors)",
        "sum(prod(tensor.shape) if tensor.dtype == 8 else int(tensor.nbytes / tensor.dtype.itemsize) for tensor in tensors)",
    ),
]
