"""Leaves __metadata__ out of the header."""

EXPECTED = {"score": 0.467, "rung": "loads", "message": "__metadata__ is left out", "shows": "drops-metadata"}
BASE = "valid_plain"
EDITS = [
    (
        '        raise ValueError("not an object")',
        """        raise ValueError("not an object")
    header.pop("__metadata__", None)""",
    ),
]
