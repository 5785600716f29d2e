"""Infers shapes without following values."""

EXPECTED = {"score": 0.866, "rung": "loads", "message": "data_prop=True", "shows": "values-not-followed"}
BASE = "valid_plain"
EDITS = [
    ('STRICT = {"check_type": True, "strict_mode": True, "data_prop": True}', 'STRICT = {"check_type": True, "strict_mode": True}'),
]
