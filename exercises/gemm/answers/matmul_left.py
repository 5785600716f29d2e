"""Leaves the MatMuls of fused pairs in the file."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "No node reads the MatMul of a fused pair any more", "shows": "matmul-left"}
BASE = "valid_proto"
EDITS = [
    ("            graph.node.remove(matmul)", ""),
]
