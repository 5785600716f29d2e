"""Counts who reads a name in the whole model."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "names-of-other-graphs"}
BASE = "valid_proto"
EDITS = [
    ("infer_shapes(model).graph, {})", "infer_shapes(model).graph, {}, new.graph)"),
    ("def fuse(graph, inferred, outer):", "def fuse(graph, inferred, outer, whole):"),
    ("fuse(child, inner, known)", "fuse(child, inner, known, whole)"),
    ("allowed(graph, known, products, *pair)]", "allowed(whole, known, products, *pair)]"),
]
