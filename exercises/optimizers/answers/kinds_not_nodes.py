"""Notes which operators there are."""

EXPECTED = {
    "loses": ["folded", "fused", "nested", "domains", "layout", "all", "source", "ints"],
    "rung": "structure",
    "shows": "kinds-not-nodes",
}
BASE = "valid_plain"
EDITS = [
    ('dict(Counter(operators(onnx.load(path).graph)))', 'dict.fromkeys(operators(onnx.load(path).graph), 1)'),
]
