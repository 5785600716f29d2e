"""Spells the keys with capital letters."""

EXPECTED = {"score": 0.45, "rung": "loads", "message": "no key static", "shows": "absent-keys"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    return counts
""",
        """\
    return {name.capitalize(): count for name, count in counts.items()}
""",
    ),
]
