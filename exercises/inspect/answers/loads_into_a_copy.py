"""Measures a copy into which the external data was loaded."""

EXPECTED = {"loses": ["external", "argument"], "rung": "numerics", "shows": "loads-into-a-copy"}
BASE = "valid_plain"
EDITS = [
    (
        "from onnx import TensorProto",
        """from onnx import ModelProto, TensorProto
from onnx.external_data_helper import load_external_data_for_model""",
    ),
    (
        "    return {",
        """    copy = ModelProto.FromString(model.SerializeToString())
    if directory:
        load_external_data_for_model(copy, str(directory))
    return {""",
    ),
    ("model.ByteSize() + sum((Path(directory) / name).stat().st_size for name in files)", "copy.ByteSize()"),
]
