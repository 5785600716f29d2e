"""Leaves a LayerNormalization of more than one output alone."""

EXPECTED = {"score": 0.8, "rung": "structure: readers", "message": "with statistics in use", "shows": "statistics-passed-over"}
BASE = "valid_ir"
EDITS = [
    ('if is_a(node, "LayerNormalization"):', 'if is_a(node, "LayerNormalization") and len(node.outputs) == 1:'),
]
