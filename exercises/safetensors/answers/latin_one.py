"""Decodes the header as latin-1."""

EXPECTED = {"loses": ["metadata", "refused-text", "dtypes", "text"], "rung": "loads", "shows": "latin-one"}
BASE = "valid_pread"
EDITS = [
    ("json.loads(text.decode()", 'json.loads(text.decode("latin-1")'),
]
