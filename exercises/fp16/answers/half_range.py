"""Converts Range like any other operator."""

EXPECTED = {"score": 0.6, "rung": "loads", "message": "defined for float32 alone", "shows": "half-range"}
BASE = "valid_lifted"
EDITS = [
    (
        'if not large.intersection(node.input) and node.op_type not in ("Range", "Resize"):',
        'if not large.intersection(node.input) and node.op_type not in ("Resize",):',
    ),
]
