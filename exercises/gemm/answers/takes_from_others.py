"""Does not count readers, and removes the MatMul whoever reads it."""

EXPECTED = {
    "score": 0.7,
    "rung": "loads",
    "message": "other nodes than the Add read its product. Count all readers",
    "shows": "readers-not-counted",
}
BASE = "valid_proto"
EDITS = [
    ("if product not in products or readers(graph, product) > 1:", "if product not in products:"),
]
