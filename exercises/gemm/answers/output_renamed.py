"""Lets the Gemm write the product's name and renames the sum's readers, the graph's outputs among them."""

EXPECTED = {"loses": ["bert", "outputs"], "rung": "contract", "shows": "output-renamed"}
BASE = "valid_proto"
EDITS = [
    ('graph.node.insert(position, helper.make_node("Gemm", [*matmul.input, bias], add.output))', "result = add.output[0]"),
    (
        "            graph.node.remove(matmul)",
        """\
            graph.node.remove(matmul)
            graph.node.insert(position - 1, helper.make_node("Gemm", [*matmul.input, bias], [product]))
            rename(graph, result, product)""",
    ),
    (
        "            position += 1",
        """\
            position += 1


def rename(graph, old, new):
    for node in graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
    for value in graph.output:
        value.name = new if value.name == old else value.name
    for child in children(graph):
        rename(child, old, new)""",
    ),
]
