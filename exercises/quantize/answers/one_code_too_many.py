"""Symmetric codes with 128 steps."""

EXPECTED = {"score": 0.55, "rung": "structure", "message": "would have no partner", "shows": "one-code-too-many"}
BASE = "valid_plain"
EDITS = [("/ 127", "/ 128")]
