"""Converts the model that it was given."""

EXPECTED = {"score": 0.8, "rung": "contract", "message": "the model that was passed in is changed", "shows": "mutates-argument"}
BASE = "valid_lifted"
EDITS = [
    ("new = onnx.ModelProto.FromString(model.SerializeToString())", "new = model"),
    ("nodes.append(node)", "nodes.append(onnx.NodeProto.FromString(node.SerializeToString()))"),
]
