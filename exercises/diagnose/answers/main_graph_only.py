"""Collects the names that are given in the main graph only."""

EXPECTED = {"loses": ["order"], "rung": "structure", "shows": "names-of-one-graph"}
BASE = "valid_plain"
EDITS = [
    ('all(name in known for known in scopes(model.graph, name))', 'any(name in node.output for node in model.graph.node)'),
]
