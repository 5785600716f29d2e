"""Writes one colon between a domain and an operator."""

EXPECTED = {"loses": ["fused", "domains", "layout"], "rung": "structure", "shows": "misspelt-keys"}
BASE = "valid_plain"
EDITS = [
    ('f"{node.domain}::{node.op_type}"', 'f"{node.domain}:{node.op_type}"'),
]
