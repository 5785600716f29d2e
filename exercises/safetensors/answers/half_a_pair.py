"""Takes every text that Python's json takes."""

EXPECTED = {"loses": ["strict"], "rung": "structure", "shows": "half-a-pair"}
BASE = "valid_plain"
EDITS = [
    ('    json.dumps(header, ensure_ascii=False).encode()\n', ''),
]
