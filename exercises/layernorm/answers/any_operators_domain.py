"""Asks the domain of LayerNormalization, and not that of the nodes of a LayerNorm that is spelled out."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "another-domain"}
BASE = "valid_ir"
EDITS = [
    ("if node and is_a(node, operator) else None", "if node and node.op_type == operator else None"),
    ("if is_a(node, operator) else None\n        if other", "if node.op_type == operator else None\n        if other"),
]
