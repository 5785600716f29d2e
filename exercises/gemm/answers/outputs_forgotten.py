"""Counts the nodes that read the product, and forgets the graph's outputs."""

EXPECTED = {"loses": ["outputs"], "rung": "loads", "shows": "outputs-forgotten"}
BASE = "valid_proto"
EDITS = [
    (
        "count = sum(list(node.input).count(name) for node in graph.node) + [value.name for value in graph.output].count(name)",
        "count = sum(list(node.input).count(name) for node in graph.node)",
    ),
]
