"""Adds every file in the directory."""

EXPECTED = {"loses": ["external", "argument"], "rung": "numerics", "shows": "whole-directory"}
BASE = "valid_plain"
EDITS = [
    (
        """
from onnx import TensorProto""",
        "",
    ),
    (
        """    external = [tensor for tensor in tensors if tensor.data_location == TensorProto.EXTERNAL]
    files = {entry.value for tensor in external for entry in tensor.external_data if entry.key == "location"}""",
        "",
    ),
    (
        "sum((Path(directory) / name).stat().st_size for name in files)",
        '(sum(path.stat().st_size for path in Path(directory).rglob("*") if path.is_file()) if directory else 0)',
    ),
]
