"""Fuses a MatMul and a Sub too."""

EXPECTED = {"loses": ["lookalikes"], "rung": "structure", "shows": "more-than-pairs"}
BASE = "valid_proto"
EDITS = [
    (
        'is_a(add, "Add")',
        '(is_a(add, "Add") or is_a(add, "Sub"))',
    ),
]
