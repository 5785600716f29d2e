"""The right edits, made in the argument itself."""

EXPECTED = {"loses": ["argument"], "rung": "contract: the argument", "shows": "mutates-argument"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    new = onnx.ModelProto()
    new.CopyFrom(model)
    fuse(new.graph, onnx.shape_inference.infer_shapes(model).graph, {})
    return new""",
        """\
    fuse(model.graph, onnx.shape_inference.infer_shapes(model).graph, {})
    return model""",
    ),
]
