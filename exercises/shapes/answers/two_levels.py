"""Looks into graphs, and into the graphs of their nodes, and no further."""

EXPECTED = {"loses": ["graphs"], "rung": "contract", "shows": "two-levels"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    graphs = [model.graph]
""",
        """\
    def children(graphs):
        attributes = [attribute for graph in graphs for node in graph.node for attribute in node.attribute]
        return [child for attribute in attributes for child in (attribute.g, *attribute.graphs)]

    inside = children([model.graph])
    graphs = [model.graph, *inside, *children(inside)]
""",
    ),
    (
        """\
            graphs.extend(child for attribute in node.attribute for child in (attribute.g, *attribute.graphs))
""",
        "",
    ),
]
