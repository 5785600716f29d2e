"""Counts nodes everywhere, but initializers of the main graph only."""

EXPECTED = {"loses": ["branches", "nested", "functions", "external"], "rung": "numerics", "shows": "skips-subgraph-weights"}
BASE = "valid_plain"
EDITS = [
    (
        '"parameters": sum(prod(tensor.dims) for tensor in tensors),',
        '"parameters": sum(prod(tensor.dims) for tensor in model.graph.initializer),',
    ),
]
