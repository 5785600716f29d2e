"""Takes an empty header for none."""

EXPECTED = {"score": 0.788, "rung": "loads", "message": "is a JSON object", "shows": "refuses-empty-header"}
BASE = "valid_plain"
EDITS = [
    ('    if not isinstance(header, dict):', '    if not header or not isinstance(header, dict):'),
]
