"""Notes which operators there are."""

EXPECTED = {"score": 0.3, "rung": "structure", "message": "every operator once", "shows": "kinds-not-nodes"}
BASE = "valid_plain"
EDITS = [
    ('dict(Counter(operators(onnx.load(path).graph)))', 'dict.fromkeys(operators(onnx.load(path).graph), 1)'),
]
