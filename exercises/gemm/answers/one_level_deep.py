"""Looks into the graphs of its nodes, and not into the graphs inside those."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "one-level-deep"}
BASE = "valid_proto"
EDITS = [
    (
        '    fuse(new.graph, onnx.shape_inference.infer_shapes(model).graph, {})',
        """\
    inf = onnx.shape_inference.infer_shapes(model).graph
    for child, inner in zip(children(new.graph), children(inf)):
        fuse(child, inner, tensors(inf))
    fuse(new.graph, inf, {})""",
    ),
    (
        """\
    for child, inner in zip(children(graph), children(inferred), strict=True):
        fuse(child, inner, known)
""",
        '',
    ),
]
