"""Looks at the first value that a node writes, and at no other."""

EXPECTED = {"loses": ["nan"], "rung": "structure", "shows": "first-output-only"}
BASE = "valid_plain"
EDITS = [("for name in node.output if", "for name in node.output[:1] if")]
