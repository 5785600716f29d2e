"""Infers shapes without following values."""

EXPECTED = {"loses": ["shapes"], "rung": "loads", "shows": "values-not-followed"}
BASE = "valid_plain"
EDITS = [
    ('STRICT = {"check_type": True, "strict_mode": True, "data_prop": True}', 'STRICT = {"check_type": True, "strict_mode": True}'),
]
