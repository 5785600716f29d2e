"""Spells the keys with capital letters."""

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "key-forgotten"}
BASE = "valid_plain"
EDITS = [
    ('"ir_version":', '"IR_VERSION":'),
    ('"opset":', '"OPSET":'),
    ('"operators":', '"OPERATORS":'),
    ('"parameters":', '"PARAMETERS":'),
    ('"bytes":', '"BYTES":'),
]
