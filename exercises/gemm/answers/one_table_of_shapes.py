"""Keeps the shapes of all graphs in one dictionary."""

EXPECTED = {"loses": ["inside"], "rung": "loads", "shows": "namesake"}
BASE = "valid_proto"
EDITS = [
    (
        '    fuse(new.graph, onnx.shape_inference.infer_shapes(model).graph, {})',
        """\
    inf = onnx.shape_inference.infer_shapes(model).graph
    fuse(new.graph, inf, allknown(inf))""",
    ),
    (
        'def tensors(',
        """def allknown(g):
    k = tensors(g)
    for c in children(g):
        k.update(allknown(c))
    return k


def tensors(""",
    ),
    (
        '    known = outer | tensors(inferred)',
        '    known = outer',
    ),
]
