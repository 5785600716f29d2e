"""Keeps initializers in a dict from their names."""

EXPECTED = {"loses": ["branches"], "rung": "numerics", "shows": "by-name"}
BASE = "valid_plain"
EDITS = [
    (
        "tensors = [tensor for graph in graphs for tensor in graph.initializer]",
        "tensors = list({tensor.name: tensor for graph in graphs for tensor in graph.initializer}.values())",
    ),
]
