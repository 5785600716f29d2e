"""Follows links into the graph around a branch, and takes nodes of both for one LayerNorm."""

EXPECTED = {"loses": ["inside"], "rung": "structure", "shows": "across-graphs"}
BASE = "valid_ir"
EDITS = [
    ("    if any(node.graph is not div.graph for node in parts):\n        return None\n", ""),
    ("        if node.graph is not result.producer().graph:\n            break\n", ""),
]
