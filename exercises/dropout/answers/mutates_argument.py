"""The right edits, made in the argument itself."""

EXPECTED = {"loses": ["argument"], "rung": "contract: the argument", "shows": "mutates-argument"}
BASE = "valid_rename"
EDITS = [
    ("import onnx", ""),
    ("new = onnx.ModelProto.FromString(model.SerializeToString())", "new = model"),
]
