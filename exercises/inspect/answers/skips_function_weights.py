"""Takes initializers from the graphs of nodes, and not from those of nodes in functions."""

EXPECTED = {"loses": ["functions"], "rung": "numerics", "shows": "skips-function-weights"}
BASE = "valid_plain"
EDITS = [
    (
        "    tensors = [tensor for graph in graphs for tensor in graph.initializer]",
        """\
    outside = [model.graph, *subgraphs(model.graph.node)]
    tensors = [tensor for graph in outside for tensor in graph.initializer]""",
    ),
]
