"""Removes nodes from the list that it goes over."""

EXPECTED = {"loses": ["layers"], "rung": "structure", "shows": "next-node-skipped"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    position = 0
    while position < len(graph.node):
        add = graph.node[position]
""",
        """\
    for position, add in enumerate(graph.node):
""",
    ),
    (
        """\
            graph.node.remove(matmul)
        else:
            position += 1""",
        '            graph.node.remove(matmul)',
    ),
]
