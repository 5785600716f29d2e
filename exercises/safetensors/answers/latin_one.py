"""Decodes the header as latin-1."""

EXPECTED = {"score": 0.489, "rung": "loads", "message": "It is UTF-8", "shows": "latin-one"}
BASE = "valid_pread"
EDITS = [
    ("json.loads(text.decode()", 'json.loads(text.decode("latin-1")'),
]
