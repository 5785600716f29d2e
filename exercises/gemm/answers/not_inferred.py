"""Takes the shapes that the model states, without inference."""

EXPECTED = {"loses": ["operands"], "rung": "structure", "shows": "not-inferred"}
BASE = "valid_proto"
EDITS = [
    (
        'onnx.shape_inference.infer_shapes(model).graph',
        'model.graph',
    ),
]
