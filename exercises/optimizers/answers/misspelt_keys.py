"""Writes one colon between a domain and an operator."""

EXPECTED = {"score": 0.65, "rung": "structure", "message": "under other keys", "shows": "misspelt-keys"}
BASE = "valid_plain"
EDITS = [
    ('f"{node.domain}::{node.op_type}"', 'f"{node.domain}:{node.op_type}"'),
]
