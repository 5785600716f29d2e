"""Does not look at the element type."""

EXPECTED = {"loses": ["lookalikes"], "rung": "loads", "shows": "integers"}
BASE = "valid_proto"
EDITS = [
    ("if None in values or values[0][0] not in (TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE):", "if None in values:"),
]
