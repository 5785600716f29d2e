"""Removes nodes from the list that it goes over."""

EXPECTED = {"score": 0.75, "rung": "structure", "message": 'each directly behind another Add', "shows": "next-node-skipped"}
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
