"""Leaves out the key bytes."""

EXPECTED = {"score": 0.4, "rung": "contract", "message": "no key bytes", "shows": "key-forgotten"}
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
