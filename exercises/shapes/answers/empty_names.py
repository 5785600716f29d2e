"""Counts outputs that are left out."""

EXPECTED = {"score": 0.962, "rung": "contract", "message": "outputs without a name counted", "shows": "empty-names"}
BASE = "valid_plain"
EDITS = [
    (
        """                if name:
                    counts[kind(declared.get(name))] += 1""",
        "                counts[kind(declared.get(name))] += 1",
    ),
]
