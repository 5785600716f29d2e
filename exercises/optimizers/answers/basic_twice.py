"""Writes ORT_ENABLE_BASIC for extended too."""

EXPECTED = {"loses": ["fused", "domains", "files-fused"], "rung": "structure", "shows": "level-set-late"}
BASE = "valid_plain"
EDITS = [
    ('"extended": "ORT_ENABLE_EXTENDED"', '"extended": "ORT_ENABLE_BASIC"'),
]
