"""Fuses an Add in a branch with the MatMul in front of the If."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "other-graph"}
BASE = "valid_proto"
EDITS = [
    (
        "fuse(new.graph, onnx.shape_inference.infer_shapes(model).graph, {})",
        "fuse(new.graph, onnx.shape_inference.infer_shapes(model).graph, {}, {})",
    ),
    ("def fuse(graph, inferred, outer):", "def fuse(graph, inferred, outer, products):"),
    (
        """        fuse(child, inner, known)
    products = {node.output[0]: node for node in graph.node if node.op_type == "MatMul" and not node.domain}""",
        """        fuse(child, inner, known, products | matmuls(graph))
    products = products | matmuls(graph)""",
    ),
    (
        "            graph.node.remove(matmul)",
        """            if matmul in graph.node:
                graph.node.remove(matmul)""",
    ),
    (
        "            position += 1",
        """            position += 1


def matmuls(graph):
    return {node.output[0]: node for node in graph.node if node.op_type == "MatMul" and not node.domain}""",
    ),
]
