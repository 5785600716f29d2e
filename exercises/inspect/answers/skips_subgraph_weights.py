"""Counts nodes everywhere, but initializers of the main graph only."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "only the initializers of the main graph", "shows": "skips-subgraph-weights"}
BASE = "valid_plain"
EDITS = [
    (
        '"parameters": sum(prod(tensor.dims) for tensor in tensors),',
        '"parameters": sum(prod(tensor.dims) for tensor in model.graph.initializer),',
    ),
]
