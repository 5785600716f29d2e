"""Counts the nodes that read the product, and not how often they read it."""

EXPECTED = {"loses": ["readers"], "rung": "loads", "shows": "read-twice"}
BASE = "valid_proto"
EDITS = [
    (
        '    count = sum(list(node.input).count(name) for node in graph.node) + [value.name for value in graph.output].count(name)',
        '    count = sum(name in node.input for node in graph.node) + [value.name for value in graph.output].count(name)',
    ),
]
