"""Leaves the MatMuls of fused pairs in the file."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "The MatMul of a fused pair has no reader any more", "shows": "matmul-left"}
BASE = "valid_proto"
EDITS = [
    ("            graph.node.remove(matmul)", ""),
]
