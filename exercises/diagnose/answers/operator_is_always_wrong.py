"""Blames the operator for every contradiction of shapes."""

EXPECTED = {"loses": ["shapes"], "rung": "structure", "shows": "operator-is-always-wrong"}
BASE = "valid_plain"
EDITS = [
    (
        'return "operand-mismatch" if refusal(shape_inference.infer_shapes, bare, **STRICT) else "false-declaration"',
        'return "operand-mismatch"',
    ),
]
