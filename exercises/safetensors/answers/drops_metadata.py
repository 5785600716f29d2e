"""Leaves __metadata__ out of the header."""

EXPECTED = {"loses": ["metadata", "strict", "entries"], "rung": "loads", "shows": "drops-metadata"}
BASE = "valid_plain"
EDITS = [
    (
        '        raise ValueError("not an object")',
        """        raise ValueError("not an object")
    header.pop("__metadata__", None)""",
    ),
]
