"""Leaves a LayerNormalization of more than one output alone."""

EXPECTED = {"loses": ["inner-values"], "rung": "structure", "shows": "statistics-passed-over"}
BASE = "valid_ir"
EDITS = [
    ('if is_a(node, "LayerNormalization"):', 'if is_a(node, "LayerNormalization") and len(node.outputs) == 1:'),
]
