"""Leaves the MatMuls of fused pairs in the file."""

EXPECTED = {"loses": ["left-over"], "rung": "quality: nodes", "shows": "matmul-left"}
BASE = "valid_proto"
EDITS = [
    ("            graph.node.remove(matmul)", ""),
]
