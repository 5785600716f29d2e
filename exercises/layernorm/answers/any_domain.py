"""Looks at the operator's name alone, so that a LayerNormalization of another domain goes too."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "another-domain"}
BASE = "valid_ir"
EDITS = [
    ('if is_a(node, "LayerNormalization"):', 'if node.op_type == "LayerNormalization":'),
]
