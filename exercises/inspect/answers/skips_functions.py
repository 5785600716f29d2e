"""Leaves out the bodies of functions."""

EXPECTED = {"score": 0.7, "rung": "structure", "message": "those in the bodies of functions", "shows": "skips-functions"}
BASE = "valid_plain"
EDITS = [
    (
        """    for function in model.functions:
        graphs.extend(subgraphs(function.node))
    nodes = [node for body in [*graphs, *model.functions] for node in body.node]""",
        "    nodes = [node for body in graphs for node in body.node]",
    ),
]
