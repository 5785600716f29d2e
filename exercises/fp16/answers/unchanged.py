"""Returns a copy of the model."""

EXPECTED = {"score": 0.4, "rung": "type", "message": "none in the whole model", "shows": "unchanged"}
BASE = "valid_lifted"
EDITS = [
    (
        "    new = onnx.ModelProto.FromString(model.SerializeToString())",
        """\
    new = onnx.ModelProto.FromString(model.SerializeToString())
    return new""",
    ),
]
