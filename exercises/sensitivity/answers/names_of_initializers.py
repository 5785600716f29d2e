"""Keeps the name of a tensor unless an initializer of the quantized model has it, whatever its values are called."""

EXPECTED = {"loses": ["small-branch"], "rung": "type", "shows": "names-taken"}
BASE = "valid_sets"
EDITS = [
    (" | {name for node in small.graph.node for name in node.output}", ""),
    ('new[tensor.name] = tensor.name + "_float"', "new[tensor.name] = tensor.name"),
]
