"""Collects the names that are given in the main graph only."""

EXPECTED = {"score": 0.9, "rung": "structure", "message": "inside a branch", "shows": "names-of-one-graph"}
BASE = "valid_plain"
EDITS = [
    (
        """    for node in graph.node:
        yield node
        for attribute in node.attribute:
            yield from nodes(attribute.g)""",
        "    yield from graph.node",
    ),
]
