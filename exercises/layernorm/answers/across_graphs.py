"""Follows links into the graph around a branch, and takes nodes of both for one LayerNorm."""

EXPECTED = {"score": 0.8, "rung": "structure: readers", "message": "All nodes of a LayerNorm are in one graph", "shows": "across-graphs"}
BASE = "valid_ir"
EDITS = [
    ("    if any(node.graph is not div.graph for node in parts):\n        return None\n", ""),
    ("        if node.graph is not result.producer().graph:\n            break\n", ""),
]
