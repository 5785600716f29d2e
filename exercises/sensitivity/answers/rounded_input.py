"""Puts back weight and bias, and leaves the input in codes."""

EXPECTED = {"score": 0.35, "rung": "structure", "message": "an input in 8 bits", "shows": "rounded-input"}
BASE = "valid_sets"
EDITS = [
    (
        "node.input[:] = before[node.name].input",
        "node.input[1:] = before[node.name].input[1:]",
    ),
]
