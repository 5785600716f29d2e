"""Takes an empty header for none."""

EXPECTED = {"loses": ["metadata", "valid"], "rung": "loads", "shows": "refuses-empty-header"}
BASE = "valid_plain"
EDITS = [
    ('    if not isinstance(header, dict):', '    if not header or not isinstance(header, dict):'),
]
