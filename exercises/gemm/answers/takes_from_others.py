"""Does not count readers, and removes the MatMul whoever reads it."""

EXPECTED = {"loses": ["readers", "outputs", "inside"], "rung": "loads", "shows": "readers-not-counted"}
BASE = "valid_proto"
EDITS = [
    ("if product not in products or readers(graph, product) > 1:", "if product not in products:"),
]
