"""Looks at the operator's name alone, so that a LayerNormalization of another domain goes too."""

EXPECTED = {"score": 0.8, "rung": "structure: left alone", "message": "my::LayerNormalization", "shows": "another-domain"}
BASE = "valid_ir"
EDITS = [
    ('if is_a(node, "LayerNormalization"):', 'if node.op_type == "LayerNormalization":'),
]
