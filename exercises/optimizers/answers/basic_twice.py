"""Writes ORT_ENABLE_BASIC for extended too."""

EXPECTED = {"score": 0.65, "rung": "structure", "message": "extended: the operators that ORT_ENABLE_BASIC leaves", "shows": "level-set-late"}
BASE = "valid_plain"
EDITS = [
    ('"extended": "ORT_ENABLE_EXTENDED"', '"extended": "ORT_ENABLE_BASIC"'),
]
