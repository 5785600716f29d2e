"""Writes the IR version that the first model had."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "fixed-ir-version"}
BASE = "valid_plain"
EDITS = [
    ('"ir_version": model.ir_version', '"ir_version": 10'),
]
