"""Puts back weight and bias, and leaves the input in codes."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "rounded-input"}
BASE = "valid_sets"
EDITS = [
    (
        "node.input[:] = before[node.name].input",
        "node.input[1:] = before[node.name].input[1:]",
    ),
]
