"""Fuses a MatMul and a Sub too."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": 'More than the pairs was removed', "shows": "more-than-pairs"}
BASE = "valid_proto"
EDITS = [
    (
        'is_a(add, "Add")',
        '(is_a(add, "Add") or is_a(add, "Sub"))',
    ),
]
