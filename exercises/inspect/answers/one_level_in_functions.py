"""Looks one level deep into the bodies of functions."""

EXPECTED = {"loses": ["functions"], "rung": "structure", "shows": "one-level-in-functions"}
BASE = "valid_plain"
EDITS = [
    (
        "        graphs.extend(subgraphs(function.node))",
        """\
        graphs.extend(graph for node in function.node for attribute in node.attribute for graph in [attribute.g, *attribute.graphs])""",
    ),
]
