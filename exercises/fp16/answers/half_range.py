"""Converts Range like any other operator."""

EXPECTED = {"loses": ["operators"], "rung": "loads", "shows": "half-range"}
BASE = "valid_lifted"
EDITS = [
    (
        'if not large.intersection(node.input) and node.op_type not in ("Range", "Resize"):',
        'if not large.intersection(node.input) and node.op_type not in ("Resize",):',
    ),
]
