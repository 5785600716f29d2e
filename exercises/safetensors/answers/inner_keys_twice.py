"""Looks for keys that stand twice among the names and the fields, and not in the metadata."""

EXPECTED = {"loses": ["strict"], "rung": "structure", "shows": "inner-keys-twice"}
BASE = "valid_plain"
EDITS = [
    (
        "def once(pairs):",
        """def once(pairs):
    if all(isinstance(value, str) for _, value in pairs):
        return dict(pairs)""",
    )
]
