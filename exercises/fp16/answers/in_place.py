"""Converts the model that it was given."""

EXPECTED = {"loses": ["argument"], "rung": "contract: the argument", "shows": "mutates-argument"}
BASE = "valid_lifted"
EDITS = [
    ("new = onnx.ModelProto.FromString(model.SerializeToString())", "new = model"),
    ("nodes.append(node)", "nodes.append(onnx.NodeProto.FromString(node.SerializeToString()))"),
]
