"""Puts back weight and bias, and leaves the input in codes."""

EXPECTED = {
    "loses": ["one-layer", "small-branch", "too-large", "two-layers", "shared-weight", "as-it-was", "arguments"],
    "rung": "numerics",
    "shows": "rounded-input",
}
BASE = "valid_sets"
EDITS = [
    (
        "node.input[:] = before[node.name].input",
        "node.input[1:] = before[node.name].input[1:]",
    ),
]
