"""Takes every text that Python's json takes."""

EXPECTED = {"score": 0.85, "rung": 'structure', "message": 'half of a surrogate pair', "shows": 'half-a-pair'}
BASE = "valid_plain"
EDITS = [
    ('    json.dumps(header, ensure_ascii=False).encode()\n', ''),
]
