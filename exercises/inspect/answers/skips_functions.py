"""Leaves out the bodies of functions."""

EXPECTED = {"loses": ["functions"], "rung": "structure", "shows": "skips-functions"}
BASE = "valid_plain"
EDITS = [
    (
        """    for function in model.functions:
        graphs.extend(subgraphs(function.node))
    nodes = [node for body in [*graphs, *model.functions] for node in body.node]""",
        "    nodes = [node for body in graphs for node in body.node]",
    ),
]
