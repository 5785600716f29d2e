"""Fuses pairs of float32 numbers alone."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": "of another type than FLOAT", "shows": "float32-only"}
BASE = "valid_proto"
EDITS = [
    ("(TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE)", "(TensorProto.FLOAT,)"),
]
