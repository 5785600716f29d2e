"""Enters the branches of an If, and not the body of a Loop."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "subgraphs-not-entered"}
BASE = "valid_rename"
EDITS = [
    (
        """\
    for child in children(graph):
        if (found := find(child)) is not None:""",
        """\
    branches = [a.g for node in graph.node for a in node.attribute if a.name in ("then_branch", "else_branch")]
    for child in branches:
        if (found := find(child)) is not None:""",
    ),
]
