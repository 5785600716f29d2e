"""Wants weight and bias to be initializers."""

EXPECTED = {"loses": ["names", "operands", "readers", "inside"], "rung": "structure", "shows": "stricter-than-needed"}
BASE = "valid_proto"
EDITS = [
    (
        "    if product not in products or readers(graph, product) > 1:",
        """\
    stored = {tensor.name for tensor in graph.initializer}
    if product not in products or bias not in stored or stored.isdisjoint(products[product].input):
        return False
    if readers(graph, product) > 1:""",
    ),
]
