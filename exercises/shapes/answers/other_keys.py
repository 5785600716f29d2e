"""Spells the keys with capital letters."""

EXPECTED = {
    "loses": ["usual-shapes", "names", "no-dimensions", "declarations", "values", "graphs", "tidy"],
    "rung": "loads",
    "shows": "absent-keys",
}
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
