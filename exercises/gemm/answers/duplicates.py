"""Does not count readers: leaves a MatMul that others read, and computes its product twice."""

EXPECTED = {"loses": ["readers", "outputs", "inside"], "rung": "structure", "shows": "shared"}
BASE = "valid_proto"
EDITS = [
    (
        "            graph.node.remove(matmul)",
        """\
            if readers(graph, product) == 0:
                graph.node.remove(matmul)
            else:
                products[product] = matmul""",
    ),
    ("if product not in products or readers(graph, product) > 1:", "if product not in products:"),
]
