"""Leaves out the key bytes."""

EXPECTED = {"loses": ["plain", "versions", "external"], "rung": "contract", "shows": "key-forgotten"}
BASE = "valid_plain"
EDITS = [
    (
        """from pathlib import Path

from onnx import TensorProto""",
        "",
    ),
    (
        """    external = [tensor for tensor in tensors if tensor.data_location == TensorProto.EXTERNAL]
    files = {entry.value for tensor in external for entry in tensor.external_data if entry.key == "location"}""",
        "",
    ),
    ('        "bytes": model.ByteSize() + sum((Path(directory) / name).stat().st_size for name in files),', ""),
]
