"""Reads both limits of a size that has one."""

EXPECTED = {"loses": ["limits"], "rung": "type", "shows": "raises-key-error"}
BASE = "valid_walk"
EDITS = [
    (
        'Dim(word, min=limit.get("min", 1), max=limit.get("max"))',
        'Dim(word, min=limit["min"], max=limit["max"]) if limit else Dim(word, min=1)',
    ),
]
