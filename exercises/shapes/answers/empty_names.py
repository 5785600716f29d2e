"""Counts outputs that are left out."""

EXPECTED = {"loses": ["values"], "rung": "contract", "shows": "empty-names"}
BASE = "valid_plain"
EDITS = [
    (
        """                if name:
                    counts[kind(declared.get(name))] += 1""",
        "                counts[kind(declared.get(name))] += 1",
    ),
]
