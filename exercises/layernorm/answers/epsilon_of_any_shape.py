"""Asks of epsilon that it is one number, and not how many dimensions it has."""

EXPECTED = {"score": 0.8, "rung": "structure: left alone"}
BASE = "valid_ir"
EDITS = [
    (" and number.ndim <= len(x.shape)", ""),
]
