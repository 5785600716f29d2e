"""Counts the names of nodes too."""

EXPECTED = {"loses": ["healthy"], "rung": "loads", "shows": "names-of-nodes"}
BASE = "valid_structure"
EDITS = [
    (
        "*(o for n in graph.node for o in n.output)]",
        "*(o for n in graph.node for o in n.output), *(n.name for n in graph.node if n.name)]",
    ),
]
