"""Spells the keys with capital letters."""

EXPECTED = {"score": 0.0, "rung": "loads", "message": "no key ir_version", "shows": "key-forgotten"}
BASE = "valid_plain"
EDITS = [
    ('"ir_version":', '"IR_VERSION":'),
    ('"opset":', '"OPSET":'),
    ('"operators":', '"OPERATORS":'),
    ('"parameters":', '"PARAMETERS":'),
    ('"bytes":', '"BYTES":'),
]
