"""The right edits, made in the argument itself."""

EXPECTED = {"score": 0.7, "rung": "contract", "message": "the model that was passed in is changed", "shows": "mutates-argument"}
BASE = "valid_rename"
EDITS = [
    ("import onnx", ""),
    ("new = onnx.ModelProto.FromString(model.SerializeToString())", "new = model"),
]
