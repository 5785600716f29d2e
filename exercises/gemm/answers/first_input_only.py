"""Expects the product as the first input of the Add."""

EXPECTED = {"loses": ["operands", "readers"], "rung": "structure", "shows": "product-first-only"}
BASE = "valid_proto"
EDITS = [
    (
        'found = [pair for pair in (add.input[:2], add.input[1::-1]) if is_a(add, "Add") and allowed(graph, known, products, *pair)]',
        'found = [pair for pair in [add.input[:2]] if is_a(add, "Add") and allowed(graph, known, products, *pair)]',
    ),
]
