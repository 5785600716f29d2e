"""Looks only at the first reader of the quotient for a scale."""

EXPECTED = {"score": 0.8, "rung": "structure: left alone", "message": "no part of the LayerNorm", "shows": "quotient-is-read"}
BASE = "valid_ir"
EDITS = [
    ("if len(result.uses()) != 1 or", "if not result.uses() or"),
    ("[(node, position)] = result.uses()", "node, position = result.uses()[0]"),
]
