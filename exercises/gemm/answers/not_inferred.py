"""Takes the shapes that the model states, without inference."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": 'each reading what a node computes', "shows": "not-inferred"}
BASE = "valid_proto"
EDITS = [
    (
        'onnx.shape_inference.infer_shapes(model).graph',
        'model.graph',
    ),
]
