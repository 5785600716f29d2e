"""Fuses pairs of float32 numbers alone."""

EXPECTED = {"loses": ["lookalikes"], "rung": "structure", "shows": "float32-only"}
BASE = "valid_proto"
EDITS = [
    ("(TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE)", "(TensorProto.FLOAT,)"),
]
