"""Looks into subgraphs, but not into theirs."""

EXPECTED = {"loses": ["nested", "functions"], "rung": "structure", "shows": "one-level"}
BASE = "valid_plain"
EDITS = [
    (
        """            for graph in [attribute.g, *attribute.graphs]:
                yield graph
                yield from subgraphs(graph.node)""",
        "            yield from [attribute.g, *attribute.graphs]",
    ),
]
