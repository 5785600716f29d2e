"""Looks for the node that gives a name in the graph of its reader alone."""

EXPECTED = {"loses": ["order"], "rung": "structure", "shows": "names-of-one-graph"}
BASE = "valid_ladder"
EDITS = [
    ('for graph in around for node in graph.node', 'for node in around[-1].node'),
]
