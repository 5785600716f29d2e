"""Looks only at the first reader of the quotient for a scale."""

EXPECTED = {"loses": ["affine"], "rung": "structure", "shows": "quotient-is-read"}
BASE = "valid_ir"
EDITS = [
    ("if len(result.uses()) != 1 or", "if not result.uses() or"),
    ("[(node, position)] = result.uses()", "node, position = result.uses()[0]"),
]
